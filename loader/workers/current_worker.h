// Sets what worker_info() returns.
#pragma once

#include "leat/loader/worker_info.h"

namespace leat::detail {

/// Says that the calling thread runs this worker from now on.
void set_worker_info(const WorkerInfo& info) noexcept;

}  // namespace leat::detail
