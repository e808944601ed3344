// Checks whether a saved state can be restored into a loader, and computes the positions that it says were consumed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leat/loader/batch_sampler.h"
#include "leat/loader/loader_state.h"

namespace leat::detail {

// The properties of a loader that its states depend on.
struct LoaderIdentity {
  const BatchSampler& order;
  std::uint64_t seed = 0;
  std::size_t dataset_size = 0;
};

// Throws ArgumentError if the state was taken from a loader of another order, seed or dataset size, or if it has
// numbers that no such loader can have had. The message says what differs, or which numbers.
void require_restorable(const LoaderState& state, const LoaderIdentity& loader);

// Returns whether this loader's batches are the same as those that the state's loader was delivering.
bool same_division(const LoaderState& state, const BatchSampler& order);

// Returns all positions of the shared order that were consumed when each rank had delivered as many batches as the
// state says. Throws ArgumentError if one rank's state cannot tell, since batches were delivered out of order on
// several ranks. Precondition: require_restorable().
PositionSet consumed_positions(const LoaderState& state, const BatchSampler& order);

}  // namespace leat::detail
