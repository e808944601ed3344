#include "leat/datasets/subset.h"

#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/errors.h"
#include "tests/datasets/support/small_datasets.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"

namespace leat::test {

TEST_CASE("a subset gives the chosen samples in the chosen order") {
  const Numbers numbers(10);
  const Subset subset(numbers, {7, 2, 2, 9});
  REQUIRE(subset.size() == 4);
  CHECK(&subset.schema() == &numbers.schema());
  const std::uint64_t wanted[] = {7, 2, 2, 9};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(OneSample(subset, i).values<std::uint64_t>(0).at(0) == wanted[i]);
    CHECK(subset.describe(i) == "number " + std::to_string(wanted[i]));
    subset.prefetch(i);
    subset.read_ahead(i);
    CHECK(numbers.prefetched == wanted[i]);
    CHECK(numbers.read == wanted[i]);
  }
}

TEST_CASE("a subset hands on the generator it is given") {
  const Numbers numbers(10);
  const Subset subset(numbers, {7});
  CHECK(OneSample(subset, 0, Rng(5, 6, 0)).values<std::uint32_t>(1).at(0) == Rng(5, 6, 0)());
}

TEST_CASE("a subset refuses indices that are not there") {
  const Numbers numbers(10);
  expect_error<ArgumentError>([&] { Subset(numbers, {3, 10}); }, {"index 10", "position 1", "10 samples"});
  const Subset subset(numbers, {3});
  expect_error<ArgumentError>([&] { OneSample(subset, 1); }, {"no sample 1", "has 1"});
  expect_error<ArgumentError>([&] { subset.describe(1); }, {"no sample 1"});
}

}  // namespace leat::test
