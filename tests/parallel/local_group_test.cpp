#include "leat/parallel/local_group.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <random>

#include "tests/parallel/support/communicator_contract.h"
#include "tests/parallel/support/ranks.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

TEST_CASE("a local group keeps the communicator's contract") {
  const int ranks = GENERATE(1, 2, 3, 5);
  INFO(ranks << " ranks");
  contract::sums_are_exact(local_group, ranks);
  contract::sixteen_bit_sums_are_rounded_once(local_group, ranks);
  contract::maxima(local_group, ranks);
  contract::averages_are_exact(local_group, ranks);
  contract::sixteen_bit_averages_are_rounded_once(local_group, ranks);
  contract::all_ranks_hold_the_same_bits(local_group, ranks);
  contract::reduce_scatter_is_a_part_of_all_reduce(local_group, ranks);
  contract::broadcast_from_every_root(local_group, ranks);
  contract::gather_in_rank_order(local_group, ranks);
  contract::every_rank_sends_to_every_other(local_group, ranks);
  contract::exchanges_keep_their_order_among_collectives(local_group, ranks);
  contract::barrier_separates(local_group, ranks);
  contract::calls_keep_their_order_across_streams(local_group, ranks);
  contract::abort_wakes_everybody(local_group, ranks);
}

TEST_CASE("a local group names the ranks of an exchange that fails") {
  contract::exchanges_that_differ_are_disagreements(local_group);
  contract::a_peer_that_does_not_come_is_named(local_group);
  contract::abort_wakes_those_who_exchange(local_group);
}

TEST_CASE("a local group refuses bad arguments") {
  contract::bad_arguments_are_refused(local_group);
  REQUIRE_THROWS_AS(make_local_group(0), ArgumentError);
  REQUIRE_THROWS_AS(make_local_group(1, host_device(), std::chrono::milliseconds(0)), ArgumentError);
  REQUIRE_THROWS_AS(make_local_group(1, host_device(), std::chrono::milliseconds::max()), ArgumentError);
}

TEST_CASE("sums in a local group are those of the ranks in order, bit for bit") {
  constexpr std::size_t kCount = 10'000;
  constexpr int kRanks = 4;
  INFO("seed 7");
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> values(kRanks, std::vector<float>(kCount));
  for (auto& row : values) {
    for (float& value : row) value = normal(random);
  }
  std::vector<float> wanted = values[0];
  for (int rank = 1; rank < kRanks; ++rank) {
    for (std::size_t i = 0; i < kCount; ++i) wanted[i] += values[static_cast<std::size_t>(rank)][i];
  }
  const Group group = local_group(kRanks, 20s);
  run_ranks(kRanks, [&](int rank) {
    auto& mine = values[static_cast<std::size_t>(rank)];
    const Stream stream = host_device().make_stream();
    group[static_cast<std::size_t>(rank)]->all_reduce({mine.data(), kCount, DType::f32}, ReduceOp::sum,
                                                      stream);
    stream.ref().synchronize();
  });
  for (const auto& row : values) CHECK(same_bits(row, wanted));
}

TEST_CASE("ranks that disagree all learn who calls what") {
  const Group group = local_group(3, 20s);
  const auto errors = errors_of_ranks(3, [&](int rank) {
    const Stream stream = host_device().make_stream();
    std::vector<float> values(rank == 2 ? 101 : 100);
    group[static_cast<std::size_t>(rank)]->all_reduce({values.data(), values.size(), DType::f32},
                                                      ReduceOp::sum, stream);
    stream.ref().synchronize();
  });
  for (const std::string& error : errors) {
    INFO(error);
    CHECK(error.find("rank 0 calls all_reduce #0 (sum of 100 f32)") != std::string::npos);
    CHECK(error.find("rank 2 calls all_reduce #0 (sum of 101 f32)") != std::string::npos);
  }
}

TEST_CASE("different operations in one round are a disagreement too") {
  const Group group = local_group(2, 20s);
  const auto errors = errors_of_ranks(2, [&](int rank) {
    const Stream stream = host_device().make_stream();
    std::vector<float> values(8);
    if (rank == 0) {
      group[0]->barrier();
    } else {
      group[1]->broadcast({values.data(), values.size(), DType::f32}, 1, stream);
      stream.ref().synchronize();
    }
  });
  for (const std::string& error : errors) {
    INFO(error);
    CHECK(error.find("rank 0 calls barrier #0, rank 1 calls broadcast #0 (8 f32 from rank 1)") !=
          std::string::npos);
  }
}

TEST_CASE("ranks that broadcast from different roots disagree") {
  const Group group = local_group(2, 20s);
  const auto errors = errors_of_ranks(2, [&](int rank) {
    const Stream stream = host_device().make_stream();
    std::vector<float> values(8);
    group[static_cast<std::size_t>(rank)]->broadcast({values.data(), values.size(), DType::f32}, rank,
                                                     stream);
    stream.ref().synchronize();
  });
  for (const std::string& error : errors) {
    INFO(error);
    CHECK(error.find("rank 0 calls broadcast #0 (8 f32 from rank 0), rank 1 calls broadcast #0 (8 f32 from "
                     "rank 1)") != std::string::npos);
  }
}

TEST_CASE("a rank that does not come is named after the timeout") {
  const Group group = local_group(4, 100ms);
  const auto errors = errors_of_ranks(2, [&](int rank) { group[static_cast<std::size_t>(rank)]->barrier(); });
  for (const std::string& error : errors) {
    INFO(error);
    CHECK(error.find("barrier #0 waited 100 ms; missing: ranks 2, 3 of 4") != std::string::npos);
  }
  // The group is dead, also for those that come late.
  REQUIRE_THROWS_AS(group[2]->barrier(), PeerSilent);
}

TEST_CASE("a rank that leaves is not waited for") {
  Group group = local_group(2, 60s);
  SECTION("before the others come") {
    group[1].reset();
    REQUIRE_THROWS_AS(group[0]->barrier(), PeerLost);
  }
  SECTION("while the others wait") {
    const auto errors = errors_of_ranks(2, [&](int rank) {
      if (rank == 0) group[0]->barrier();
      if (rank == 1) group[1].reset();
    });
    INFO(errors[0]);
    CHECK(errors[0].find("left the group") != std::string::npos);
  }
}

TEST_CASE("a collective that its stream skips fails the group at once") {
  const Group group = local_group(2, 60s);
  const auto errors = errors_of_ranks(2, [&](int rank) {
    Communicator& communicator = *group[static_cast<std::size_t>(rank)];
    const Stream stream = host_device().make_stream();
    if (rank == 1) host_device().enqueue(stream, [] { throw DataError("image 7", "is damaged"); });
    std::vector<float> values(10);
    communicator.all_reduce({values.data(), values.size(), DType::f32}, ReduceOp::sum, stream);
    stream.ref().synchronize();
  });
  INFO(errors[0]);
  CHECK(errors[0].find("rank 1: all_reduce #0 (sum of 10 f32) was skipped") != std::string::npos);
  INFO(errors[1]);
  CHECK(errors[1].find("image 7") != std::string::npos);
}

}  // namespace
}  // namespace leat::test
