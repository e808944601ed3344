// Tells worker_info() which worker a thread is.
#pragma once

#include "leat/loader/worker_info.h"

namespace leat::detail {

/// The calling thread runs this worker from now on.
void set_worker_info(const WorkerInfo& info) noexcept;

}  // namespace leat::detail
