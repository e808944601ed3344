/// \file
/// What a loader does about samples that cannot be loaded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leat/datasets/export.h"
#include "leat/loader/errors.h"

namespace leat {

/// What the loader does about a sample whose get() throws, or that ends two worker processes. With skip and substitute,
/// next() passes over a batch without a good row; size() and LoaderState::batches count it.
enum class SampleErrorPolicy {
  raise,       ///< next() throws SampleError in place of the batch
  skip,        ///< the row is left out: the batch is shorter by one
  substitute,  ///< the row is a copy of the nearest good row of its batch, the one before if there is one
};

/// A sample that could not be loaded.
struct LEAT_EXPORT BadSample {
  std::uint64_t epoch = 0;     ///< in which it was to be loaded
  std::uint64_t batch = 0;     ///< number of its batch in the epoch
  SampleError::Origin origin;  ///< which sample it is, and what went wrong
};

/// Limits the bad samples of an epoch: when there are more than both limits allow, the loader gives up.
struct LEAT_EXPORT BadSampleLimit {
  std::size_t allowance = 16;  ///< allowed in every epoch
  double rate = 0.01;          ///< allowed share of the samples handed to workers so far
};

}  // namespace leat
