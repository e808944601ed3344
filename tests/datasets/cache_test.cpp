#include "leat/datasets/cache.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>

#include "leat/datasets/errors.h"
#include "leat/datasets/map.h"
#include "leat/datasets/zip.h"
#include "tests/datasets/support/small_datasets.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"

namespace leat::test {

namespace {

// Room for as many of Numbers.
constexpr std::size_t room_for(std::size_t samples) {
  return 64 * samples;
}

// Whatever the caller's generator is.
void check_number(const Dataset& dataset, std::size_t index, std::uint64_t seed = 0) {
  const OneSample sample(dataset, index, Rng(77, 5, index + 1));
  CHECK(sample.values<std::uint64_t>(0).at(0) == index);
  CHECK(sample.values<std::uint32_t>(1).at(0) == Rng(seed, 0, index)());
}

}  // namespace

TEST_CASE("a cache asks its dataset once, and random numbers depend on seed and index alone") {
  const Numbers numbers(10);
  const Cache cache(numbers, room_for(10), {.seed = 3});
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (std::size_t i = 0; i < 10; ++i) check_number(cache, i, 3);
    CHECK(numbers.gets == 10);
  }
  const CacheStats stats = cache.stats();
  CHECK(stats.misses == 10);
  CHECK(stats.hits == 20);
  CHECK(stats.stored == 10);
  CHECK(stats.bytes == room_for(10));
  CHECK(stats.limit == room_for(10));
  CHECK_FALSE(stats.out_of_memory);
}

TEST_CASE("a full cache gives the same bytes") {
  const Numbers numbers(10);
  const Cache cache(numbers, room_for(4) + 63);
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (std::size_t i = 0; i < 10; ++i) check_number(cache, i);
  }
  CHECK(numbers.gets == 16);
  CHECK(cache.stats().hits == 4);
  CHECK(cache.stats().misses == 16);
  CHECK(cache.stats().stored == 4);
  CHECK(cache.stats().bytes == room_for(4));
}

TEST_CASE("a cache keeps ragged fields at their lengths") {
  const Texts texts(9);
  const Cache cache(texts, 9 * 64);
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (std::size_t i = 0; i < 9; ++i) {
      const OneSample kept(cache, i), wanted(texts, i);
      for (std::size_t field = 0; field < 3; ++field) CHECK(kept.bytes(field) == wanted.bytes(field));
    }
  }
  CHECK(cache.stats().hits == 9);
  CHECK(cache.stats().bytes == 9 * 64);  // 2 lengths, 16 of text, 4 of weight and 12 of tokens are 48
}

TEST_CASE("a cache hands on what it does not keep") {
  const Numbers numbers(10, 100);
  const Cache cache(numbers, room_for(10));
  CHECK(cache.size() == 10);
  CHECK(&cache.schema() == &numbers.schema());
  CHECK(cache.describe(3) == "number 103");
  CHECK(cache.reads_ahead());
  cache.prefetch(3);
  cache.read_ahead(3);
  OneSample(cache, 4);
  cache.prefetch(4);
  cache.read_ahead(4);
  CHECK(numbers.prefetched == 103);
  CHECK(numbers.read == 103);
}

TEST_CASE("samples that a dataset gains later are had, and not kept") {
  Numbers numbers(2);
  const Cache cache(numbers, room_for(10));
  numbers.samples = 4;
  CHECK(cache.size() == 4);
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (std::size_t i = 0; i < 4; ++i) check_number(cache, i);
  }
  CHECK(cache.stats().stored == 2);
  CHECK(cache.stats().hits == 2);
  CHECK(cache.stats().misses == 6);
}

TEST_CASE("a sample that cannot be had, or is not whole, is not kept") {
  class Failing final : public Dataset {
   public:
    std::size_t size() const override { return 2; }
    const Schema& schema() const override { return schema_; }
    void get(std::size_t index, Rng&, SampleWriter& out) const override {
      if (index == 0) throw DataError("file", "is bad");
      if (whole) out.set<std::uint8_t>(0, 7);
    }
    bool whole = false;

   private:
    Schema schema_{{{"x", DType::u8, {}}}};
  };
  Failing failing;
  const Cache cache(failing, 1000);
  expect_error<DataError>([&] { OneSample(cache, 0); }, {"is bad"});
  expect_error<ArgumentError>([&] { OneSample(cache, 1); }, {"did not write", "'x'"});
  CHECK(cache.stats().bytes == 0);
  failing.whole = true;
  CHECK(OneSample(cache, 1).values<std::uint8_t>(0).at(0) == 7);
  CHECK(cache.stats().stored == 1);
}

TEST_CASE("behind a cache, a map draws anew for each epoch") {
  const Numbers numbers(4);
  const Cache cache(numbers, room_for(4));
  const MapInPlace map(cache,
                       [](SampleWriter& sample, Rng& rng) { sample.values<std::uint32_t>(1)[0] = rng(); });
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    for (std::size_t i = 0; i < 4; ++i) {
      const OneSample sample(map, i, Rng(1, epoch, i));
      CHECK(sample.values<std::uint64_t>(0).at(0) == i);
      CHECK(sample.values<std::uint32_t>(1).at(0) == Rng(1, epoch, i)());
    }
  }
  CHECK(numbers.gets == 4);
}

TEST_CASE("a cache beside another dataset keeps its part of the fields") {
  const Texts texts(6);
  const Numbers numbers(6);
  const Cache cache(texts, 6 * 64);
  const Zip both({numbers, cache});
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (std::size_t i = 0; i < 6; ++i) {
      const OneSample sample(both, i), wanted(texts, i);
      CHECK(sample.values<std::uint64_t>(0).at(0) == i);
      for (std::size_t field = 0; field < 3; ++field) CHECK(sample.bytes(2 + field) == wanted.bytes(field));
    }
  }
  CHECK(cache.stats().hits == 6);
}

TEST_CASE("a cache needs room, and no more than there is") {
  const Numbers numbers(10);
  expect_error<ArgumentError>([&] { Cache(numbers, 0); }, {"0 bytes"});
  expect_error<MemoryError>([&] { Cache(numbers, std::size_t{1} << 55); }, {"the samples of a cache"});
}

TEST_CASE("a sample that its dataset left incomplete is never kept") {
  class Incomplete final : public Dataset {
   public:
    std::size_t size() const override { return 1; }
    const Schema& schema() const override { return schema_; }
    void get(std::size_t, Rng&, SampleWriter& out) const override { out.set<std::uint64_t>(0, 7); }

   private:
    Schema schema_{{{"number", DType::u64, {}}, {"forgotten", DType::u32, {}}}};
  };
  const Incomplete incomplete;
  const Cache cache(incomplete, room_for(4));
  for (int epoch = 0; epoch < 3; ++epoch) {
    expect_error<Error>([&] { OneSample(cache, 0); }, {"forgotten"});
    CHECK(cache.stats().stored == 0);
    CHECK(cache.stats().hits == 0);
  }
}

}  // namespace leat::test
