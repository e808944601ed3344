// The options of a loader that its BatchScheduler keeps to.
#pragma once

#include <cstddef>

#include "leat/datasets/base/shared_memory.h"
#include "leat/loader/bad_samples.h"

namespace leat::detail {

struct SchedulerOptions {
  std::size_t depth = 1;             // batches in flight
  std::size_t max_held_batches = 1;  // slots for so many more
  std::size_t workers = 0;
  std::size_t reorder_bytes = 0;  // for spare slots; 0 where they would be of no use
  Forks forks = Forks::share;     // copy: there are no worker processes
  bool in_order = true;
  bool batched = true;
  SampleErrorPolicy on_bad_sample = SampleErrorPolicy::raise;
  BadSampleLimit bad_sample_limit{};
};

}  // namespace leat::detail
