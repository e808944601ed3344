#include "leat/datasets/repeat.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>

#include "leat/datasets/errors.h"
#include "leat/datasets/zip.h"
#include "tests/datasets/support/small_datasets.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"

namespace leat::test {

TEST_CASE("a repeated dataset has its samples again, with other random numbers") {
  const Numbers numbers(3, 100);
  const Repeat twice(numbers, 2);
  REQUIRE(twice.size() == 6);
  CHECK(&twice.schema() == &numbers.schema());
  CHECK(twice.reads_ahead());
  for (std::size_t i = 0; i < 6; ++i) {
    const OneSample sample(twice, i, Rng(7, 1, i));
    CHECK(sample.values<std::uint64_t>(0).at(0) == 100 + i % 3);
    CHECK(sample.values<std::uint32_t>(1).at(0) == Rng(7, 1, i)());
    CHECK(twice.describe(i) == "number " + std::to_string(100 + i % 3));
    twice.prefetch(i);
    CHECK(numbers.prefetched == 100 + i % 3);
    twice.read_ahead(i);
    CHECK(numbers.read == 100 + i % 3);
  }
  expect_error<ArgumentError>([&] { OneSample(twice, 6); }, {"no sample 6", "has 3", "2 times"});
}

TEST_CASE("a repeated dataset may change in size") {
  Numbers numbers(3);
  const Repeat thrice(numbers, 3);
  numbers.samples = 2;
  CHECK(thrice.size() == 6);
  CHECK(OneSample(thrice, 5).values<std::uint64_t>(0).at(0) == 1);
  numbers.samples = 0;
  CHECK(thrice.size() == 0);
  thrice.prefetch(0);
  thrice.read_ahead(0);
  expect_error<ArgumentError>([&] { OneSample(thrice, 0); }, {"no sample 0", "has 0"});
}

TEST_CASE("a dataset is repeated at least once, and not more often than there are numbers") {
  const Numbers numbers(3);
  CHECK(Repeat(numbers, 1).size() == 3);
  expect_error<ArgumentError>([&] { Repeat(numbers, 0); }, {"0 times"});
  expect_error<ArgumentError>([&] { Repeat(numbers, std::numeric_limits<std::size_t>::max() / 2); },
                              {"64 bits"});
}

TEST_CASE("repeat: a hint for a dataset that cannot say its size is passed over, and get() says why") {
  Numbers left(3), right(3);
  const Zip pairs({{left, "left"}, {right, "right"}});
  const Repeat all(pairs, 2);
  right.samples = 2;
  all.prefetch(0);
  all.read_ahead(0);
  expect_error<ArgumentError>([&] { OneSample(all, 0); }, {"dataset 0 has 3", "dataset 1 has 2"});
}

}  // namespace leat::test
