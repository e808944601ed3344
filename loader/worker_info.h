// Who is asking, inside Dataset::get() and worker_init_fn.
#pragma once

#include <cstdint>
#include <optional>

namespace leat {

struct WorkerInfo {
  int id = 0;              // in [0, num_workers)
  int num_workers = 0;     // of the loader
  std::uint64_t seed = 0;  // of the loader; samples have generators of their own, see Dataset::get()
};

// Of the worker that runs the calling thread; nullopt anywhere else, and where a loader has no workers.
std::optional<WorkerInfo> worker_info() noexcept;

}  // namespace leat
