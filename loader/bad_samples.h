// What becomes of samples that cannot be loaded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leat/loader/errors.h"

namespace leat {

/// What the loader does about a sample whose get() throws, or that ends two worker processes.
enum class SampleErrorPolicy {
  raise,  // next() throws SampleError in the place of the batch
  // With skip and substitute, next() passes over a batch that has no good row; size() and LoaderState::batches count it.
  skip,        // the row is left out: the batch is shorter by one
  substitute,  // the row is a copy of the nearest good row of its batch, the one before if there is one
};

// A sample whose get() threw, or that ended two workers.
struct BadSample {
  std::uint64_t epoch = 0;
  std::uint64_t batch = 0;  // its number in the epoch
  SampleError::Origin origin;
};

// How many bad samples an epoch may have before the loader gives up: `allowance` always, beyond that the share
// `rate` of the samples that were delivered or skipped so far.
struct BadSampleLimit {
  std::size_t allowance = 16;
  double rate = 0.01;
};

}  // namespace leat
