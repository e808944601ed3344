// The contract of communicators over NCCL, with one rank. Several ranks in one process are tested over the
// fake GPUs.
#include <catch2/catch_test_macros.hpp>
#include <iostream>

#include "tests/parallel/nccl/nccl_groups.h"
#include "tests/parallel/support/communicator_contract.h"

namespace leat::test {
namespace {

TEST_CASE("an NCCL communicator of one rank keeps the contract of communicators", "[gpu]") {
  if (cuda_device_count() == 0) {
    std::cout << "SKIPPED: " << cuda_unavailable_reason() << "\n";
    return;
  }
  contract::sums_are_exact(nccl_ranks, 1);
  contract::maxima(nccl_ranks, 1);
  contract::averages_are_exact(nccl_ranks, 1);
  contract::all_ranks_hold_the_same_bits(nccl_ranks, 1);
  contract::reduce_scatter_is_a_part_of_all_reduce(nccl_ranks, 1);
  contract::broadcast_from_every_root(nccl_ranks, 1);
  contract::gather_in_rank_order(nccl_ranks, 1);
  contract::barrier_separates(nccl_ranks, 1);
  contract::calls_keep_their_order_across_streams(nccl_ranks, 1);
  contract::bad_arguments_are_refused(nccl_ranks);
}

}  // namespace
}  // namespace leat::test
