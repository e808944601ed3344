// The options of a BatchScheduler.
#pragma once

#include <cstddef>

#include "leat/datasets/base/shared_memory.h"
#include "leat/loader/bad_samples.h"

namespace leat::detail {

struct SchedulerOptions {
  std::size_t depth = 1;             // number of batches in flight
  std::size_t max_held_batches = 1;  // number of further slots, for batches that the consumer holds
  std::size_t workers = 0;
  std::size_t reorder_bytes = 0;  // memory for spare slots; 0 if they would be of no use
  Forks forks = Forks::share;     // Forks::copy if there are no worker processes
  bool in_order = true;
  bool batched = true;
  SampleErrorPolicy on_bad_sample = SampleErrorPolicy::raise;
  BadSampleLimit bad_sample_limit{};
};

}  // namespace leat::detail
