// The options of a loader that its workers use.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "leat/datasets/warning.h"

namespace leat::detail {

/// Names and meanings are those of DataLoaderOptions, with num_workers resolved.
struct WorkerOptions {
  int num_workers = 0;  // with 0, the caller's thread loads
  std::uint64_t seed = 0;
  std::function<void(int worker)> worker_init_fn = nullptr;
  int worker_threads = 1;                      // 0 leaves the libraries as they are
  bool spread_workers = false;                 // whether each worker keeps to its share of the CPUs
  std::chrono::nanoseconds sample_timeout{0};  // 0 means none; only for processes
  std::chrono::nanoseconds init_timeout{0};    // 0 means none; only for processes
  WarningHandler on_warning = nullptr;
};

}  // namespace leat::detail
