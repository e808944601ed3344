// Whether a saved state can be restored into a loader, and what it says was consumed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leat/loader/batch_sampler.h"
#include "leat/loader/loader_state.h"

namespace leat::detail {

// What a loader is, as far as its states depend on it.
struct LoaderIdentity {
  const BatchSampler& order;
  std::uint64_t seed = 0;
  std::size_t dataset_size = 0;
};

// Throws ArgumentError that says what differs, if the state was taken from a loader of another order, seed or
// dataset size, or which of its numbers no such loader can have had.
void require_restorable(const LoaderState& state, const LoaderIdentity& loader);

// Whether the loader goes on with the very batches that the state's loader was delivering.
bool same_division(const LoaderState& state, const BatchSampler& order);

// All positions of the shared order that were consumed when each rank had delivered as many batches as the state
// says. Throws ArgumentError if one rank's state cannot tell. Precondition: require_restorable().
PositionSet consumed_positions(const LoaderState& state, const BatchSampler& order);

}  // namespace leat::detail
