// What every communicator promises, whatever its engine. Each check makes its own groups and throws std::runtime_error
// where a promise is broken.
#pragma once

#include "tests/parallel/support/groups.h"

namespace leat::test::contract {

void sums_are_exact(const GroupMaker& make, int ranks);  // every dtype, many sizes
void sixteen_bit_sums_are_rounded_once(const GroupMaker& make, int ranks);
void maxima(const GroupMaker& make, int ranks);
void averages_are_exact(const GroupMaker& make, int ranks);  // of numbers whose average needs no rounding
void sixteen_bit_averages_are_rounded_once(const GroupMaker& make, int ranks);
void all_ranks_hold_the_same_bits(const GroupMaker& make, int ranks);  // where rounding depends on the order
// As all_reduce(), whose bits each rank's part has; also in place. What is read stays as it was.
void reduce_scatter_is_a_part_of_all_reduce(const GroupMaker& make, int ranks);
void broadcast_from_every_root(const GroupMaker& make, int ranks);
void gather_in_rank_order(const GroupMaker& make, int ranks);             // also in place
void every_rank_sends_to_every_other(const GroupMaker& make, int ranks);  // many sizes and dtypes
void exchanges_keep_their_order_among_collectives(const GroupMaker& make, int ranks);  // and across streams
void barrier_separates(const GroupMaker& make, int ranks);
void calls_keep_their_order_across_streams(const GroupMaker& make, int ranks);
void bad_arguments_are_refused(const GroupMaker& make);
void abort_wakes_everybody(const GroupMaker& make, int ranks);  // with the reason, on all ranks

// What communicators that compare calls promise, so not NCCL's.
void exchanges_that_differ_are_disagreements(const GroupMaker& make);
void a_peer_that_does_not_come_is_named(const GroupMaker& make);  // after a timeout
void abort_wakes_those_who_exchange(const GroupMaker& make);

}  // namespace leat::test::contract
