// Batch operations on the CPU.
#pragma once

#include "leat/transfer/batch_operations.h"

namespace leat::detail {

// Implements Device::apply() for host memory, on the calling thread. The caller has checked the operation.
void apply_on_host(const BatchOperation& operation) noexcept;

}  // namespace leat::detail
