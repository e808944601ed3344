// The contract of communicators over NCCL, with several fake GPUs in one process.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <random>

#include "tests/cuda_fake/fake_cuda.h"
#include "tests/cuda_fake/nccl/fake_nccl.h"
#include "tests/parallel/nccl/nccl_groups.h"
#include "tests/parallel/support/communicator_contract.h"

namespace leat::test {
namespace {

using cuda_fake::fake_nccl;

void check_books() {
  CHECK(fake_nccl().calls_while_busy == 0);
  CHECK(fake_nccl().aborted == 0);
  CHECK(fake_nccl().finalized == fake_nccl().created.load());
  CHECK(fake_nccl().destroyed == fake_nccl().created.load());
  CHECK(cuda_fake::take_violations() == std::vector<std::string>());
}

TEST_CASE("NCCL communicators keep the contract on fake GPUs, however long NCCL takes to accept a call") {
  fake_nccl().reset();
  const int ranks = GENERATE(1, 2, 4);
  const int polls = GENERATE(0, 1, 3);
  INFO(ranks << " ranks, " << polls << " polls in progress");
  fake_nccl().polls_in_progress = polls;
  contract::maxima(nccl_ranks, ranks);
  contract::all_ranks_hold_the_same_bits(nccl_ranks, ranks);
  contract::reduce_scatter_is_a_part_of_all_reduce(nccl_ranks, ranks);
  contract::broadcast_from_every_root(nccl_ranks, ranks);
  contract::gather_in_rank_order(nccl_ranks, ranks);
  contract::every_rank_sends_to_every_other(nccl_ranks, ranks);
  contract::exchanges_keep_their_order_among_collectives(nccl_ranks, ranks);
  contract::calls_keep_their_order_across_streams(nccl_ranks, ranks);
  if (ranks == 1) contract::bad_arguments_are_refused(nccl_ranks);
  check_books();
}

TEST_CASE("NCCL communicators sum and separate on fake GPUs") {
  fake_nccl().reset();
  const int ranks = GENERATE(2, 4);
  INFO(ranks << " ranks");
  contract::sums_are_exact(nccl_ranks, ranks);
  contract::averages_are_exact(nccl_ranks, ranks);
  contract::barrier_separates(nccl_ranks, ranks);
  check_books();
}

// Runs the contract with the streams of all GPUs in random orders.
void keep_contract_in_orders(int ranks, int orders) {
  fake_nccl().reset();
  const std::uint64_t start = std::random_device{}();
  for (std::uint64_t seed = start; seed < start + static_cast<std::uint64_t>(orders); ++seed) {
    INFO(ranks << " ranks, seed " << seed);
    cuda_fake::run_randomly(seed);
    contract::maxima(nccl_ranks, ranks);
    contract::reduce_scatter_is_a_part_of_all_reduce(nccl_ranks, ranks);
    contract::broadcast_from_every_root(nccl_ranks, ranks);
    contract::gather_in_rank_order(nccl_ranks, ranks);
    contract::exchanges_keep_their_order_among_collectives(nccl_ranks, ranks);
    contract::calls_keep_their_order_across_streams(nccl_ranks, ranks);
    cuda_fake::go_free();
    check_books();
  }
}

TEST_CASE("NCCL communicators keep the contract in any order of the streams of 1, 2 and 4 fake GPUs") {
  keep_contract_in_orders(GENERATE(1, 2, 4), 2);
}

TEST_CASE("NCCL communicators keep the contract in 8 orders of the streams of 2 and 4 fake GPUs", "[slow]") {
  keep_contract_in_orders(GENERATE(2, 4), 8);
}

}  // namespace
}  // namespace leat::test
