// MixUp and CutMix on the CPU.
#pragma once

#include "leat/transfer/batch_operations.h"

namespace leat::detail {

// These implement the operations for host memory, on the calling thread. The caller has checked them.
void mix_on_host(const MixUp& mix) noexcept;
void mix_on_host(const CutMix& mix) noexcept;

}  // namespace leat::detail
