#include "leat/datasets/map.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "leat/datasets/errors.h"
#include "tests/datasets/support/small_datasets.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"

namespace leat::test {

namespace {

// Of the texts: "length" i64 of the text, "twice" f32 of the weight, "sum" i32 of the tokens, "drawn".
Map measured(const Dataset& texts) {
  Schema schema({{"length", DType::i64, {}},
                 {"twice", DType::f32, {}},
                 {"sum", DType::i32, {}},
                 {"drawn", DType::u32, {}}});
  return {texts, std::move(schema), [](const SampleView& in, SampleWriter& out, Rng& rng) {
            out.set("length", static_cast<std::int64_t>(in.text("text").size()));
            out.set("twice", 2 * in.get<float>("weight"));
            std::int32_t sum = 0;
            for (const std::int32_t token : in.values<std::int32_t>(2)) sum += token;
            out.set("sum", sum);
            out.set("drawn", rng());
          }};
}

void check_measured(const Dataset& map, std::size_t index) {
  const OneSample sample(map, index, Rng(8, 9, index));
  const auto i = static_cast<std::int32_t>(index), tokens = i % 4;
  CHECK(sample.values<std::int64_t>(0).at(0) == static_cast<std::int64_t>(Texts::text(index).size()));
  CHECK(sample.values<float>(1).at(0) == static_cast<float>(index));
  CHECK(sample.values<std::int32_t>(2).at(0) == 10 * i * tokens + tokens * (tokens - 1) / 2);
  CHECK(sample.values<std::uint32_t>(3).at(0) == Rng(8, 9, index)());
}

}  // namespace

TEST_CASE("a map makes other fields of a sample") {
  const Texts texts(12);
  const Map map = measured(texts);
  REQUIRE(map.size() == 12);
  for (std::size_t i = 0; i < 12; ++i) check_measured(map, i);
}

TEST_CASE("a map's generator goes on where the dataset left it") {
  const Numbers numbers(3, 5);
  const Map map(numbers, Schema({{"both", DType::u32, {2}}}),
                [](const SampleView& in, SampleWriter& out, Rng& rng) {
                  const auto both = out.values<std::uint32_t>("both");
                  both[0] = in.get<std::uint32_t>("drawn");
                  both[1] = rng();
                });
  Rng rng(1, 2, 3);
  const std::vector<std::uint32_t> wanted = {rng(), rng()};
  CHECK(OneSample(map, 1, Rng(1, 2, 3)).values<std::uint32_t>(0) == wanted);
  CHECK(map.describe(1) == "number 6");
  map.prefetch(2);
  map.read_ahead(1);
  CHECK(numbers.prefetched == 7);
  CHECK(numbers.read == 6);
  CHECK(map.reads_ahead());
  const Texts texts(1);
  CHECK_FALSE(measured(texts).reads_ahead());
}

TEST_CASE("maps of maps have memory of their own, in threads too") {
  const Texts texts(40);
  const auto keep = [](const SampleView& in, SampleWriter& out, Rng&) {
    for (std::size_t field = 0; field < 3; ++field) {
      const TensorView tensor = in.tensor(field);
      out.set_tensor(field, tensor.dtype, tensor.shape, tensor.data);
    }
  };
  const Map first(texts, texts.schema(), keep), second(first, texts.schema(), keep);
  const Map map = measured(second);
  std::vector<std::string> got(40);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::size_t i = thread; i < 40; i += 4) {
        const std::vector<char> text = OneSample(second, i).values<char>(0);
        got[i].assign(text.begin(), text.end());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < 40; ++i) {
    CHECK(got[i] == Texts::text(i));
    check_measured(map, i);
  }
}

TEST_CASE("a sample is read as what it is") {
  const Texts texts(12);
  const Map map(texts, Schema({{"ok", DType::u8, {}}}), [](const SampleView& in, SampleWriter& out, Rng&) {
    CHECK(in.schema().size() == 3);
    CHECK(in.tensor("tokens").shape == Shape{3});
    CHECK(in.tensor(1).shape.empty());
    CHECK(in.bytes(2).size() == 12);
    expect_error<ArgumentError>([&] { in.values<float>("tokens"); }, {"'tokens' holds i32, not f32"});
    expect_error<ArgumentError>([&] { in.get<std::int32_t>("tokens"); },
                                {"'tokens' is i32 [0 to 3]", "scalars"});
    expect_error<ArgumentError>([&] { in.text("weight"); }, {"'weight' holds f32, not u8"});
    expect_error<ArgumentError>([&] { in.get<float>("size"); }, {"no field 'size'"});
    out.set<std::uint8_t>(0, 1);
  });
  OneSample(map, 7);
}

TEST_CASE("a map in place edits the row, and cuts what is ragged") {
  const Texts texts(12);
  const MapInPlace map(texts, [](SampleWriter& sample, Rng& rng) {
    for (float& weight : sample.values<float>("weight")) weight += 1000;
    const std::size_t length = sample.written(0).size();
    for (std::uint8_t& c : sample.ragged<std::uint8_t>("text", std::min<std::size_t>(length, 4))) c ^= 0x20;
    rng();
  });
  REQUIRE(map.size() == 12);
  CHECK(&map.schema() == &texts.schema());
  for (std::size_t i = 0; i < 12; ++i) {
    const OneSample sample(map, i);
    const std::vector<char> text = sample.values<char>(0);
    CHECK(std::string(text.begin(), text.end()) == (i == 0 ? "" : "TEXT"));
    CHECK(sample.values<float>(1).at(0) == 1000 + static_cast<float>(i) / 2);
    CHECK(sample.bytes(2) == OneSample(texts, i).bytes(2));
  }
}

TEST_CASE("maps find out a dataset that forgets a field, and have a function") {
  class Forgetful final : public Dataset {
   public:
    std::size_t size() const override { return 1; }
    const Schema& schema() const override { return schema_; }
    void get(std::size_t, Rng&, SampleWriter&) const override {}

   private:
    Schema schema_{{{"missing", DType::u8, {}}}};
  };
  const Forgetful forgetful;
  const Map map(forgetful, Schema({{"x", DType::u8, {}}}), [](const SampleView&, SampleWriter&, Rng&) {});
  const MapInPlace in_place(forgetful, [](SampleWriter& sample, Rng&) { sample.set<std::uint8_t>(0, 1); });
  expect_error<ArgumentError>([&] { OneSample(map, 0); }, {"did not write", "'missing'"});
  expect_error<ArgumentError>([&] { OneSample(in_place, 0); }, {"did not write", "'missing'"});
  expect_error<ArgumentError>([&] { MapInPlace(forgetful, nullptr); }, {"function"});
  expect_error<ArgumentError>([&] { Map(forgetful, Schema(), nullptr); }, {"function"});
}

}  // namespace leat::test
