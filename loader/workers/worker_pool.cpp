#include "leat/loader/workers/worker_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "leat/datasets/errors.h"

namespace leat::detail {

WorkerInitError init_error_of(const SlotTable& table, int worker) {
  const FailureRecord& failure = table.worker_failure(static_cast<std::size_t>(worker));
  return {worker,
          fmt::format("worker_init_fn threw in worker {}: {}: {}", worker, failure.type, failure.text)};
}

void require_ours(bool ours) {
  if (ours) return;
  throw Error("descriptors of the loader's were closed by other code of this process; make a new loader");
}

Deadline deadline_after(std::chrono::steady_clock::time_point start, std::chrono::nanoseconds wait) {
  using Point = std::chrono::steady_clock::time_point;
  if (wait > Point::max() - start) return std::nullopt;
  return start + wait;
}

int poll_timeout(Deadline deadline) {
  if (!deadline) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30));
}

}  // namespace leat::detail
