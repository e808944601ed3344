#include "leat/parallel/shared_memory_communicator.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "tests/parallel/shared_memory/shared_memory_group.h"
#include "tests/parallel/support/communicator_contract.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

Group small_pieces(int ranks, std::chrono::milliseconds timeout) {
  return shared_memory_group(loopback_stores(ranks),
                             {.timeout = timeout, .connect_timeout = timeout, .staging_bytes = 65'536});
}

Group shared_memory(int ranks, std::chrono::milliseconds timeout) {
  return shared_memory_group(ranks, timeout);
}

void check_contract(const GroupMaker& make, int ranks) {
  contract::sums_are_exact(make, ranks);
  contract::sixteen_bit_sums_are_rounded_once(make, ranks);
  contract::maxima(make, ranks);
  contract::averages_are_exact(make, ranks);
  contract::sixteen_bit_averages_are_rounded_once(make, ranks);
  contract::all_ranks_hold_the_same_bits(make, ranks);
  contract::reduce_scatter_is_a_part_of_all_reduce(make, ranks);
  contract::broadcast_from_every_root(make, ranks);
  contract::gather_in_rank_order(make, ranks);
  contract::every_rank_sends_to_every_other(make, ranks);
  contract::exchanges_keep_their_order_among_collectives(make, ranks);
  contract::barrier_separates(make, ranks);
  contract::calls_keep_their_order_across_streams(make, ranks);
  contract::abort_wakes_everybody(make, ranks);
}

TEST_CASE("shared memory keeps the communicator's contract") {
  const int ranks = GENERATE(1, 2, 4);
  INFO(ranks << " ranks");
  check_contract(shared_memory, ranks);
}

TEST_CASE("shared memory keeps the communicator's contract where data passes in many pieces") {
  const int ranks = GENERATE(1, 3);
  INFO(ranks << " ranks");
  check_contract(small_pieces, ranks);
}

TEST_CASE("shared memory names the ranks of an exchange that fails") {
  contract::exchanges_that_differ_are_disagreements(shared_memory);
  contract::a_peer_that_does_not_come_is_named(shared_memory);
  contract::abort_wakes_those_who_exchange(shared_memory);
}

TEST_CASE("shared memory refuses bad arguments") {
  contract::bad_arguments_are_refused(shared_memory);
}

}  // namespace
}  // namespace leat::test
