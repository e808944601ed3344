#include "leat/datasets/concat.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/zip.h"
#include "tests/datasets/support/small_datasets.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"

namespace leat::test {

namespace {

std::uint64_t number_of(const Dataset& dataset, std::size_t index) {
  return OneSample(dataset, index).values<std::uint64_t>(0).at(0);
}

}  // namespace

TEST_CASE("datasets that follow each other give all of their samples, in order") {
  const Numbers first(3, 100), empty(0), last(2, 200);
  const Concat all({first, empty, last});
  REQUIRE(all.size() == 5);
  CHECK(&all.schema() == &first.schema());
  CHECK(all.reads_ahead());
  const std::uint64_t wanted[] = {100, 101, 102, 200, 201};
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(number_of(all, i) == wanted[i]);
    CHECK(all.describe(i) == "number " + std::to_string(wanted[i]));
    all.prefetch(i);
    all.read_ahead(i);
    CHECK((i < 3 ? first : last).prefetched == wanted[i]);
    CHECK((i < 3 ? first : last).read == wanted[i]);
  }
  CHECK(OneSample(all, 4, Rng(5, 6, 4)).values<std::uint32_t>(1).at(0) == Rng(5, 6, 4)());
  expect_error<ArgumentError>([&] { OneSample(all, 5); }, {"no sample 5", "3 datasets", "have 5"});
  expect_error<ArgumentError>([&] { all.describe(5); }, {"no sample 5"});
}

TEST_CASE("every sample of a thousand datasets is found") {
  std::vector<std::unique_ptr<Numbers>> owners;
  std::vector<DatasetRef> parts;
  std::vector<std::uint64_t> wanted;
  for (std::size_t part = 0; part < 1000; ++part) {
    owners.push_back(std::make_unique<Numbers>(part % 4, 10 * part));
    parts.emplace_back(*owners.back());
    for (std::size_t i = 0; i < part % 4; ++i) wanted.push_back(10 * part + i);
  }
  const Concat all(parts);
  REQUIRE(all.size() == wanted.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) wrong += number_of(all, i) == wanted[i] ? 0 : 1;
  CHECK(wrong == 0);
}

TEST_CASE("datasets that follow each other may change in size between epochs") {
  Numbers first(2, 100), last(2, 200);
  const Concat all({first, last});
  CHECK(number_of(all, 2) == 200);
  first.samples = 3;
  last.samples = 1;
  CHECK(all.size() == 4);
  CHECK(number_of(all, 2) == 102);
  CHECK(number_of(all, 3) == 200);
  expect_error<ArgumentError>([&] { OneSample(all, 4); }, {"no sample 4"});
  first.samples = 0;
  CHECK(all.size() == 1);
  CHECK(number_of(all, 0) == 200);
  last.samples = 0;  // and nobody asked for the size
  expect_error<ArgumentError>([&] { OneSample(all, 0); }, {"no sample 0", "have 0"});
  all.prefetch(0);
}

TEST_CASE("datasets of other fields do not follow each other") {
  class Other final : public Dataset {
   public:
    explicit Other(std::vector<Field> fields) : schema_(std::move(fields)) {}
    std::size_t size() const override { return 0; }
    const Schema& schema() const override { return schema_; }
    void get(std::size_t, Rng&, SampleWriter&) const override {}

   private:
    Schema schema_;
  };
  const Numbers numbers(1);
  const Field number{"number", DType::u64, {}}, drawn{"drawn", DType::u32, {}};
  const auto refused = [&](std::vector<Field> fields, std::string_view text) {
    const Other other(std::move(fields));
    expect_error<ArgumentError>([&] { Concat({numbers, numbers, other}); }, {text});
  };
  refused({number, {"drawn", DType::u32, {2}}},
          "field 1 of dataset 2 is 'drawn', u32 [2], that of dataset 0 is 'drawn', u32 []");
  refused({drawn, number}, "field 0 of dataset 2 is 'drawn', u32 []");
  refused({number}, "field 1 of dataset 2 is missing");
  refused({number, drawn, {"more", DType::u8, {}}},
          "field 2 of dataset 2 is 'more', u8 [], that of dataset 0 is missing");
  refused({number, Field::ragged("drawn", DType::u32, {.max_length = 5})},
          "field 1 of dataset 2 is 'drawn', u32 [0 to 5]");
  expect_error<ArgumentError>([] { Concat({}); }, {"at least one dataset"});
}

TEST_CASE("concat: a hint for a dataset that cannot say its size is passed over, and get() says why") {
  Numbers left(3), right(3);
  const Zip pairs({{left, "left"}, {right, "right"}});
  const Concat all({pairs, pairs});
  right.samples = 2;
  all.prefetch(0);
  all.read_ahead(0);
  expect_error<ArgumentError>([&] { OneSample(all, 0); }, {"dataset 0 has 3", "dataset 1 has 2"});
}

}  // namespace leat::test
