#include "leat/loader/worker_info.h"

#include "leat/loader/workers/current_worker.h"

namespace leat {

using namespace detail;

namespace {

thread_local std::optional<WorkerInfo> info_of_thread;

}  // namespace

std::optional<WorkerInfo> worker_info() noexcept {
  return info_of_thread;
}

void detail::set_worker_info(const WorkerInfo& info) noexcept {
  info_of_thread = info;
}

}  // namespace leat
