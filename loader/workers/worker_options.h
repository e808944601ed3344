// The options of a loader that its workers keep to.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "leat/datasets/warning.h"

namespace leat::detail {

/// Names and meanings are those of DataLoaderOptions; num_workers is resolved.
struct WorkerOptions {
  int num_workers = 0;  // 0: the caller's thread loads
  std::uint64_t seed = 0;
  std::function<void(int worker)> worker_init_fn = nullptr;
  int worker_threads = 1;                      // 0: as they are
  bool spread_workers = false;                 // each worker keeps to its share of the CPUs
  std::chrono::nanoseconds sample_timeout{0};  // 0: none; processes only
  std::chrono::nanoseconds init_timeout{0};    // 0: none; processes only
  WarningHandler on_warning = nullptr;
};

}  // namespace leat::detail
