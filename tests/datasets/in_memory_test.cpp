#include "leat/datasets/in_memory.h"

#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/errors.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"

namespace leat::test {

namespace {

InMemoryDataset three_points() {
  return InMemoryDataset({InMemoryDataset::column<float>("x", {2}, {0, 1, 10, 11, 20, 21}),
                          InMemoryDataset::column<std::int64_t>("label", {}, {7, 8, 9})});
}

}  // namespace

TEST_CASE("a dataset in memory gives the rows of its columns") {
  const InMemoryDataset points = three_points();
  REQUIRE(points.size() == 3);
  CHECK(points.schema()[0].name == "x");
  CHECK(points.schema()[1].dtype == DType::i64);
  for (std::size_t i = 0; i < 3; ++i) {
    const OneSample sample(points, i);
    CHECK(sample.values<float>(0) == std::vector<float>{float(10 * i), float(10 * i + 1)});
    CHECK(sample.values<std::int64_t>(1) == std::vector<std::int64_t>{std::int64_t(7 + i)});
  }
}

TEST_CASE("a dataset in memory needs whole rows, equally many") {
  using Columns = std::vector<InMemoryDataset::Column>;
  const auto make = [](const Columns& columns) { return [columns] { InMemoryDataset dataset(columns); }; };
  expect_error<ArgumentError>(make({}), {"at least one field"});
  expect_error<ArgumentError>(make({InMemoryDataset::column<float>("x", {2}, {1, 2, 3})}),
                              {"'x'", "12 bytes", "8"});
  expect_error<ArgumentError>(make({InMemoryDataset::column<float>("x", {}, {1, 2, 3}),
                                    InMemoryDataset::column<std::uint8_t>("y", {}, {1, 2})}),
                              {"'y' has 2 rows", "'x' has 3"});
}

TEST_CASE("a dataset in memory may be empty, and refuses what lies behind its end") {
  const InMemoryDataset empty({InMemoryDataset::column<float>("x", {}, {})});
  CHECK(empty.size() == 0);
  expect_error<ArgumentError>([&] { OneSample(empty, 0); }, {"no sample 0", "are 0"});
  expect_error<ArgumentError>([&] { OneSample(three_points(), 3); }, {"no sample 3", "are 3"});
}

TEST_CASE("a dataset in memory refuses ragged columns by name") {
  const InMemoryDataset::Column column{Field::text("caption", 4), std::vector<std::byte>(8)};
  expect_error<ArgumentError>([&] { InMemoryDataset dataset({column}); }, {"'caption'", "ragged"});
}

}  // namespace leat::test
