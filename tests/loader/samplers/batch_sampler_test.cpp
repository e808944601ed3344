#include "leat/loader/batch_sampler.h"

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <vector>

#include "tests/support/expect_error.h"

namespace leat {
namespace {

using Indices = std::vector<std::uint64_t>;

Indices batch(const BatchSampler& batches, std::uint64_t epoch, std::size_t number) {
  Indices out{99, 98, 97, 96, 95, 94, 93, 92, 91};  // to be replaced
  batches.batch(epoch, number, out);
  return out;
}

TEST_CASE("10 samples in batches of 4: the last one is short, or left out") {
  const auto order = std::make_shared<SequentialSampler>(10);
  const FixedSizeBatchSampler batches(order, 4, false);
  CHECK(batches.max_batch_size() == 4);
  REQUIRE(batches.size(0) == 3);
  CHECK(batch(batches, 0, 1) == Indices{4, 5, 6, 7});
  CHECK(batch(batches, 0, 2) == Indices{8, 9});
  CHECK(FixedSizeBatchSampler(order, 4, true).size(0) == 2);
  CHECK(FixedSizeBatchSampler(std::make_shared<SequentialSampler>(0), 4, false).size(0) == 0);
}

TEST_CASE("the batches of an epoch are the sampler's order, cut") {
  const auto order = std::make_shared<RandomSampler>(23, 5);
  const FixedSizeBatchSampler batches(order, 5, false);
  for (const std::uint64_t epoch : {0, 3}) {
    Indices expected(23), joined;
    order->indices(epoch, 0, expected);
    for (std::size_t number = 0; number < batches.size(epoch); ++number) {
      const Indices rows = batch(batches, epoch, number);
      joined.insert(joined.end(), rows.begin(), rows.end());
    }
    CHECK(joined == expected);
  }
}

TEST_CASE("the batches of what remains of an epoch are those that were still to come") {
  const DistributedSamplerOptions options{.rank = 1, .world_size = 3, .seed = 7};
  const auto order = std::make_shared<DistributedSampler>(100, options);
  const FixedSizeBatchSampler whole(order, 4, false);
  for (std::size_t done = 0; done < whole.size(2); ++done) {
    const FixedSizeBatchSampler rest(order->remaining(2, PositionSet::below(done * 4 * 3)), 4, false);
    REQUIRE(rest.size(2) == whole.size(2) - done);
    for (std::size_t i = 0; i < rest.size(2); ++i) REQUIRE(batch(rest, 2, i) == batch(whole, 2, done + i));
  }
}

TEST_CASE("batches of no rows, of no sampler, and beyond the epoch are refused") {
  const auto order = std::make_shared<SequentialSampler>(10);
  test::expect_error<ArgumentError>([&] { FixedSizeBatchSampler(order, 0, false); }, {"batch_size is 0"});
  test::expect_error<ArgumentError>([] { FixedSizeBatchSampler(nullptr, 4, false); }, {"sampler", "null"});
  test::expect_error<ArgumentError>([&] { batch(FixedSizeBatchSampler(order, 4, true), 7, 2); },
                                    {"batch 2", "epoch 7 has 2 batches"});
}

}  // namespace
}  // namespace leat
