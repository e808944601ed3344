// Buckets that are laid out anew in the order in which gradients become ready.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <numeric>

#include "leat/parallel/gradient_reducer.h"
#include "tests/parallel/support/groups.h"
#include "tests/parallel/support/ranks.h"
#include "tests/support/expect_error.h"

namespace leat::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kParameters = 8;
constexpr std::size_t kOwnMemory = 3;  // the parameter whose gradient has memory of its own
constexpr std::size_t kCount = 100;    // elements of each

using Order = std::array<std::size_t, kParameters>;

// A rank's parameters, each of which fills a bucket, and what becomes of them.
class Replica {
 public:
  Replica(Communicator& communicator, ReducerOptions options) : reducer_(make(communicator, options)) {}

  // Sets gradient i of rank r to (r + 1) * (i + 1) + step and reduces them. Returns how many were marked when the first
  // bucket was reduced.
  std::size_t pass(int rank, const Order& order, int step) {
    marked_ = 0;
    for (const std::size_t i : order) {
      const auto gradient = TensorView(reducer_.gradient(i)).as<float>();
      std::fill(gradient.begin(), gradient.end(),
                static_cast<float>((rank + 1) * static_cast<int>(i + 1) + step));
      ++marked_;
      reducer_.mark_ready(i);
    }
    reducer_.finish(stream_);
    stream_.ref().synchronize();
    return marked_at_first_;
  }

  void expect_sums(int ranks, int step) {
    for (std::size_t i = 0; i < kParameters; ++i) {
      const auto sum = static_cast<float>(ranks * (ranks + 1) / 2 * static_cast<int>(i + 1) + ranks * step);
      const auto gradient = TensorView(reducer_.gradient(i)).as<float>();
      expect(std::ranges::count(gradient, sum) == static_cast<std::ptrdiff_t>(kCount),
             "the sum of gradient " + std::to_string(i));
    }
  }

  bool reorder() { return reducer_.reorder_buckets(stream_); }
  GradientReducer& reducer() { return reducer_; }
  const Stream& stream() const { return stream_; }
  const float* own_memory() const { return own_.data(); }

 private:
  GradientReducer make(Communicator& communicator, ReducerOptions options) {
    std::vector<Parameter> parameters;
    for (std::size_t i = 0; i < kParameters; ++i) {
      parameters.push_back({.name = std::to_string(i),
                            .value = {.data = values_.data(), .dtype = DType::f32, .shape = {kCount}}});
    }
    parameters[kOwnMemory].gradient = {.data = own_.data(), .dtype = DType::f32, .shape = {kCount}};
    options.bucket_cap_mb = options.first_bucket_mb = 0.0001;
    if (!options.wire) {
      options.reduce_bucket = [this](const GradientBucket& bucket, Communicator& all, StreamRef stream) {
        if (bucket.index == 0) marked_at_first_ = marked_;
        all.all_reduce(bucket.data, ReduceOp::sum, stream);
      };
    }
    return {communicator, std::move(parameters), std::move(options)};
  }

  std::vector<float> values_ = std::vector<float>(kCount);
  std::vector<float> own_ = std::vector<float>(kCount);
  std::size_t marked_ = 0, marked_at_first_ = 0;
  const Stream stream_ = host_device().make_stream();
  GradientReducer reducer_;
};

constexpr Order kForward{0, 1, 2, 3, 4, 5, 6, 7};

TEST_CASE("after one pass, the first bucket is reduced as soon as the first gradient is ready") {
  const Group group = local_group(2, 20s);
  run_ranks(2, [&](int rank) {
    Replica replica(*group[static_cast<std::size_t>(rank)], {});
    expect_equal(replica.pass(rank, kForward, 0), kParameters, "gradients that were marked");
    const void* const before = replica.reducer().gradient(0).data;
    expect(replica.reorder(), "another order");
    replica.expect_sums(2, 0);  // they have moved
    expect(replica.reducer().gradient(0).data != before, "another address");
    expect(replica.reducer().gradient(kOwnMemory).data == replica.own_memory(), "the own memory");
    for (int step = 1; step < 4; ++step) {
      expect_equal(replica.pass(rank, kForward, step), std::size_t{1}, "gradients that were marked");
      replica.expect_sums(2, step);
    }
    const void* const after = replica.reducer().gradient(0).data;
    expect(!replica.reorder(), "the same order");
    expect(replica.reducer().gradient(0).data == after, "the same address");
  });
}

TEST_CASE("rank 0's order becomes that of all ranks, in whichever order the others go on") {
  const Group group = local_group(3, 20s);
  const std::array<Order, 3> orders{Order{5, 0, 7, 2, 1, 3, 6, 4}, kForward, Order{7, 6, 5, 4, 3, 2, 1, 0}};
  run_ranks(3, [&](int rank) {
    const Order& order = orders[static_cast<std::size_t>(rank)];
    Replica replica(*group[static_cast<std::size_t>(rank)], {});
    replica.pass(rank, order, 0);
    expect(replica.reorder(), "another order");
    expect_equal(replica.pass(rank, order, 1),
                 std::array<std::size_t, 3>{1, 6, 3}[static_cast<std::size_t>(rank)],
                 "gradients that were marked when gradient 5 was ready");
    replica.expect_sums(3, 1);
  });
}

TEST_CASE("gradients that travel in 16 bits are laid out anew, too") {
  const Group group = local_group(2, 20s);
  run_ranks(2, [&](int rank) {
    Replica replica(*group[static_cast<std::size_t>(rank)], {.wire = DType::bf16});
    for (int step = 0; step < 3; ++step) {
      replica.pass(rank, kForward, step);
      replica.expect_sums(2, step);
      expect_equal(replica.reorder(), step == 0, "another order");
    }
  });
}

TEST_CASE("buckets keep their order within a pass and before the first one") {
  const Group group = local_group(1, 20s);
  Replica replica(*group[0], {});
  expect_error<ArgumentError>([&] { replica.reorder(); }, {"before the first pass"});
  replica.reducer().mark_ready(0);
  expect_error<ArgumentError>([&] { replica.reorder(); }, {"before the end of a pass"});
  replica.reducer().zero_unready(replica.stream());
  replica.reducer().finish(replica.stream());
  CHECK(replica.reorder());  // gradient 0 is the first now
  CHECK(replica.pass(0, kForward, 1) == 1);
}

}  // namespace
}  // namespace leat::test
