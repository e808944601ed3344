// The options of a DataLoader with every default resolved, grouped by the part of the loader that uses them.
#pragma once

#include <cstddef>

#include "leat/loader/engine/scheduler_options.h"
#include "leat/loader/loader_options.h"
#include "leat/loader/workers/worker_options.h"

namespace leat::detail {

struct ResolvedLoaderOptions {
  std::size_t batch_size = 1;
  bool tune = false;  // whether to use only as many of the workers as help
  WorkerOptions workers = {};
  SchedulerOptions scheduling = {};
};

// Throws ArgumentError if options contradict each other or if a value is out of range. The message names the options,
// or the value and its range.
ResolvedLoaderOptions resolve(const DataLoaderOptions& options);

}  // namespace leat::detail
