// What the options of a DataLoader come to where they leave something open, by the part of the loader that keeps to it.
#pragma once

#include <cstddef>

#include "leat/loader/engine/scheduler_options.h"
#include "leat/loader/loader_options.h"
#include "leat/loader/workers/worker_options.h"

namespace leat::detail {

struct ResolvedLoaderOptions {
  std::size_t batch_size = 1;
  bool tune = false;  // use as many of the workers as help
  WorkerOptions workers = {};
  SchedulerOptions scheduling = {};
};

// Throws ArgumentError that names the options which contradict each other, or the value and its range.
ResolvedLoaderOptions resolve(const DataLoaderOptions& options);

}  // namespace leat::detail
