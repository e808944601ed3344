/// \file
/// The worker in which Dataset::get() or worker_init_fn runs.
#pragma once

#include <cstdint>
#include <optional>

#include "leat/datasets/export.h"

namespace leat {

/// Describes a worker.
struct LEAT_EXPORT WorkerInfo {
  int id = 0;              ///< its number, in [0, num_workers)
  int num_workers = 0;     ///< number of workers of the loader
  std::uint64_t seed = 0;  ///< seed of the loader; samples have generators of their own, see Dataset::get()
};

/// Returns the worker that runs the calling thread, or nullopt if none does, as in a loader without workers.
LEAT_EXPORT std::optional<WorkerInfo> worker_info() noexcept;

}  // namespace leat
