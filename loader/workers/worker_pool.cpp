#include "leat/loader/workers/worker_pool.h"

#include <fmt/format.h>

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

}  // namespace leat::detail
