// Collectives of little data, which the ranks bring along to the rendezvous: one meeting, and no memory of other ranks.
#pragma once

#include "leat/parallel/local/rendezvous.h"

namespace leat::detail {

// Returns whether run_inline() takes the call. Depends only on what all ranks agree on.
bool is_inline(const CollectiveCall& call) noexcept;

// Carries out this rank's side of a call. Every rank computes all of the result, in rank order, so all get the same
// bits, which are also those of slice_reduce(). Throws what Rendezvous::arrive() throws.
void run_inline(Rendezvous& rendezvous, const CollectiveCall& call);

// Copies what `rank` contributes to an all_gather to its place in the result, unless it is there.
void place_gathered(const CollectiveCall& call, int rank, const void* from);

// Carries out a reduce_scatter of one rank, whose result is its data.
void place_alone(const CollectiveCall& call);

}  // namespace leat::detail
