#include "leat/parallel/gloo_communicator.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "leat/parallel/gradient_reducer.h"
#include "tests/parallel/gloo/gloo_group.h"
#include "tests/parallel/support/communicator_contract.h"
#include "tests/parallel/support/error_kind.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

const GroupMaker kGloo = [](int ranks, std::chrono::milliseconds timeout) {
  return gloo_group(ranks, timeout);
};

TEST_CASE("gloo keeps the communicator's contract") {
  const int ranks = GENERATE(1, 2, 3, 4);
  INFO(ranks << " ranks");
  contract::sums_are_exact(kGloo, ranks);
  contract::sixteen_bit_sums_are_rounded_once(kGloo, ranks);
  contract::maxima(kGloo, ranks);
  contract::averages_are_exact(kGloo, ranks);
  contract::sixteen_bit_averages_are_rounded_once(kGloo, ranks);
  contract::all_ranks_hold_the_same_bits(kGloo, ranks);
  contract::reduce_scatter_is_a_part_of_all_reduce(kGloo, ranks);
  contract::broadcast_from_every_root(kGloo, ranks);
  contract::gather_in_rank_order(kGloo, ranks);
  contract::every_rank_sends_to_every_other(kGloo, ranks);
  contract::exchanges_keep_their_order_among_collectives(kGloo, ranks);
  contract::barrier_separates(kGloo, ranks);
  contract::calls_keep_their_order_across_streams(kGloo, ranks);
  contract::abort_wakes_everybody(kGloo, ranks);
}

TEST_CASE("gloo names the ranks of an exchange that fails") {
  contract::exchanges_that_differ_are_disagreements(kGloo);
  contract::a_peer_that_does_not_come_is_named(kGloo);
  contract::abort_wakes_those_who_exchange(kGloo);
}

TEST_CASE("gloo refuses bad arguments") {
  contract::bad_arguments_are_refused(kGloo);
}

TEST_CASE("gloo ranks that disagree get an error, where Gloo itself would end the process") {
  const Group group = gloo_group(3, 20s);
  const auto errors = errors_of_ranks(3, [&](int rank) {
    const Stream stream = host_device().make_stream();
    std::vector<float> values(rank == 2 ? 101 : 100);
    group[static_cast<std::size_t>(rank)]->all_reduce({values.data(), values.size(), DType::f32},
                                                      ReduceOp::sum, stream);
    stream.ref().synchronize();
  });
  for (const std::string& error : errors) {
    INFO(error);
    CHECK(error.find("the ranks disagree") != std::string::npos);
    CHECK(error.find("sum of 100 f32") != std::string::npos);
    CHECK(error.find("rank 2") != std::string::npos);
    CHECK(error.find("sum of 101 f32") != std::string::npos);
  }
}

TEST_CASE("gloo ranks that mix up operations they did before get an error too") {
  const Group group = gloo_group(2, 20s);
  const auto errors = errors_of_ranks(2, [&](int rank) {
    Communicator& communicator = *group[static_cast<std::size_t>(rank)];
    const Stream stream = host_device().make_stream();
    std::vector<float> large(100'000), small(10);
    const TensorSpan first{.data = large.data(), .count = large.size(), .dtype = DType::f32};
    const TensorSpan second{.data = small.data(), .count = small.size(), .dtype = DType::f32};
    communicator.all_reduce(first, ReduceOp::sum, stream);
    communicator.all_reduce(second, ReduceOp::sum, stream);
    communicator.all_reduce(rank == 0 ? first : second, ReduceOp::sum, stream);
    stream.ref().synchronize();
  });
  for (const std::string& error : errors) {
    INFO(error);
    CHECK(error.find("the ranks disagree") != std::string::npos);
  }
}

TEST_CASE("a gloo rank that does not come to a collective is named after the timeout") {
  const Group group = gloo_group(3, 300ms);
  const auto errors = errors_of_ranks(2, [&](int rank) { group[static_cast<std::size_t>(rank)]->barrier(); });
  // The one that notices first ends the connections; the other then hears the reason from the store.
  for (const std::string& error : errors) {
    INFO(error);
    CHECK(error.find("missing: rank 2 of 3") != std::string::npos);
  }
}

TEST_CASE("a gloo rank that does not come to the rendezvous is named after the timeout") {
  const auto stores = loopback_stores(3);
  const auto errors = errors_of_ranks(2, [&](int rank) {
    make_gloo_communicator(stores[static_cast<std::size_t>(rank)], {.timeout = 200ms});
  });
  for (const std::string& error : errors) {
    INFO(error);
    CHECK(error.find("missing: 2 of 3") != std::string::npos);
  }
}

TEST_CASE("gloo errors have types that name the ranks, on each rank and for each later call") {
  const Group silent = gloo_group(3, 300ms);
  const Group differing = gloo_group(2, 20s);
  run_ranks(2, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    for (int call = 0; call < 2; ++call) {
      const std::string error = kind_of_error([&] { silent[r]->barrier(); });
      expect(error.starts_with("PeerSilent 2: "), "PeerSilent, not " + error);
    }
    for (int call = 0; call < 2; ++call) {
      const std::string error = kind_of_error([&] { differing[r]->allocate(100 + r); });
      expect(error.starts_with("Disagreement 0 1: "), "Disagreement, not " + error);
    }
  });
}

TEST_CASE("several gloo communicators share a store") {
  const auto stores = loopback_stores(2);
  const Group first = gloo_group(stores, 20s);
  const Group second = gloo_group(stores, 20s);
  run_ranks(2, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    first[r]->barrier();
    second[r]->barrier();
    first[r]->barrier();
  });
}

TEST_CASE("gradients are reduced over gloo, -14 on both ranks") {
  const Group group = gloo_group(2, 20s);
  std::vector<float> results(2);
  run_ranks(2, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    float w = rank == 0 ? 1.0F : 77.0F;
    GradientReducer reducer(*group[r],
                            {{.name = "w", .value = {.data = &w, .dtype = DType::f32, .shape = {1}}}});
    expect_equal(w, 1.0F, "rank 0's weight");
    auto* gradient = static_cast<float*>(reducer.gradient(0).data);
    *gradient = static_cast<float>(per_rank_loss_weight(2)) * (rank == 0 ? -2.0F : -26.0F);
    const Stream stream = host_device().make_stream();
    reducer.mark_ready(0, stream);
    reducer.finish(stream);
    stream.ref().synchronize();
    results[r] = *gradient;
  });
  CHECK(results == std::vector<float>{-14, -14});
}

}  // namespace
}  // namespace leat::test
