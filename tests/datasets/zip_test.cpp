#include "leat/datasets/zip.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>

#include "leat/datasets/errors.h"
#include "tests/datasets/support/small_datasets.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"

namespace leat::test {

namespace {

std::string text_of(const OneSample& sample, std::size_t field) {
  const std::vector<char> text = sample.values<char>(field);
  return {text.begin(), text.end()};
}

std::uint32_t drawn(const Dataset& dataset, std::size_t index, std::size_t field) {
  return OneSample(dataset, index, Rng(3, 4, index)).values<std::uint32_t>(field).at(0);
}

}  // namespace

TEST_CASE("datasets side by side have the fields of all, fixed and ragged") {
  const Numbers numbers(9, 100);
  const Texts texts(9), more(9);
  const Zip both({texts, numbers, {more, "more.deep"}});
  REQUIRE(both.size() == 9);
  CHECK(both.reads_ahead());
  CHECK_FALSE(Zip({texts}).reads_ahead());
  const std::vector<std::string> names = {"text",  "weight",         "tokens",           "number",
                                          "drawn", "more.deep.text", "more.deep.weight", "more.deep.tokens"};
  REQUIRE(both.schema().size() == names.size());
  for (std::size_t field = 0; field < names.size(); ++field) CHECK(both.schema()[field].name == names[field]);
  for (std::size_t i = 0; i < 9; ++i) {
    const OneSample sample(both, i);
    for (const std::size_t first : {0, 5}) {
      CHECK(text_of(sample, first) == Texts::text(i));
      CHECK(sample.bytes(first + 1) == OneSample(texts, i).bytes(1));
      CHECK(sample.bytes(first + 2) == OneSample(texts, i).bytes(2));
    }
    CHECK(sample.values<std::uint64_t>(3).at(0) == 100 + i);
    both.prefetch(i);
    both.read_ahead(i);
    CHECK(numbers.prefetched == 100 + i);
    CHECK(numbers.read == 100 + i);
  }
}

TEST_CASE("datasets side by side draw from generators of their own") {
  const Numbers numbers(5);
  const Texts texts(5);
  const Zip one({{numbers, "a"}}), two({{numbers, "a"}, {numbers, "b"}}),
      with_texts({{numbers, "a"}, texts, {numbers, "b"}});
  for (std::size_t i = 0; i < 5; ++i) {
    const std::uint32_t a = drawn(one, i, 1), b = drawn(two, i, 3);
    CHECK(a != b);
    CHECK(drawn(two, i, 1) == a);
    CHECK(drawn(with_texts, i, 1) == a);
    CHECK(a != drawn(one, (i + 1) % 5, 1));
  }
}

TEST_CASE("samples side by side are described by all that has something to say") {
  const Numbers left(2), right(2, 50);
  const Texts silent(2);
  CHECK(Zip({{left, "l"}, silent, {right, "r"}}).describe(1) == "number 1, number 51");
}

TEST_CASE("datasets side by side need fields of different names") {
  const Numbers numbers(2);
  expect_error<ArgumentError>([&] { Zip({numbers, numbers}); }, {"'number' of dataset 1", "prefix"});
  expect_error<ArgumentError>([&] { Zip({{numbers, "a"}, {numbers, "a"}}); }, {"'a.number' of dataset 1"});
  expect_error<ArgumentError>(
      [&] {
        Zip({numbers, {numbers, "number"}});
      },
      {"'number'", "field and the group"});
  expect_error<ArgumentError>([] { Zip(std::vector<Zip::Part>{}); }, {"at least one"});
}

TEST_CASE("datasets side by side need equally many samples") {
  Numbers numbers(2);
  const Texts three(3), two(2);
  expect_error<ArgumentError>(
      [&] {
        Zip({numbers, three});
      },
      {"dataset 0 has 2", "dataset 1 has 3", "Subset"});
  const Zip both({numbers, two});
  numbers.samples = 5;
  expect_error<ArgumentError>([&] { both.size(); }, {"dataset 0 has 5", "dataset 1 has 2"});
}

TEST_CASE("a dataset that forgets a field is found out beside another one") {
  class Forgetful final : public Dataset {
   public:
    std::size_t size() const override { return 2; }
    const Schema& schema() const override { return schema_; }
    void get(std::size_t, Rng&, SampleWriter& out) const override { out.set<std::uint8_t>("here", 1); }

   private:
    Schema schema_{{{"here", DType::u8, {}}, {"missing", DType::u8, {}}}};
  };
  const Numbers numbers(2);
  const Forgetful forgetful;
  const Zip both({numbers, {forgetful, "part"}});
  expect_error<ArgumentError>([&] { OneSample(both, 0); }, {"did not write", "'part.missing'"});
}

}  // namespace leat::test
