#include "leat/datasets/rng.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cmath>
#include <vector>

namespace leat {
namespace {

using Block = std::array<std::uint32_t, 4>;

TEST_CASE("philox4x32-10 gives the known answers of Random123") {
  CHECK(philox4x32({0, 0, 0, 0}, {0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const std::uint32_t ones = 0xffffffff;
  CHECK(philox4x32({ones, ones, ones, ones}, {ones, ones}) ==
        Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a sample's generator starts with the block of its key: golden, stable across versions") {
  Rng rng(0, 0, 0);
  CHECK(rng() == 0x6627e8d5);
  CHECK(rng() == 0xe169c58d);
  CHECK(rng() == 0xbc57ac4c);
  CHECK(rng() == 0x9b00dbd8);
  CHECK(rng() == philox4x32({1, 0, 0, 0}, {0, 0})[0]);
}

TEST_CASE("seed, epoch and index each select another stream") {
  const auto first = [](std::uint64_t seed, std::uint64_t epoch, std::uint64_t index) {
    return Rng(seed, epoch, index).bits64();
  };
  const std::vector<std::uint64_t> streams{first(1, 2, 3), first(2, 2, 3),          first(1, 3, 3),
                                           first(1, 2, 4), first(1ull << 40, 2, 3), first(1, 2, 1ull << 40)};
  for (std::size_t i = 0; i < streams.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) CHECK(streams[i] != streams[j]);
  }
  CHECK(first(1, 2, 3) == streams[0]);
}

TEST_CASE("below() reaches every value below its limit about equally often") {
  Rng rng(7, 0, 0);
  std::array<int, 6> counts{};
  for (int draw = 0; draw < 60000; ++draw) ++counts.at(rng.below(6));
  double chi_squared = 0;
  for (const int count : counts) chi_squared += (count - 10000.0) * (count - 10000.0) / 10000.0;
  CHECK(chi_squared < 25.7);  // 5 degrees of freedom, p = 1e-4; the seed is fixed, so this cannot flicker
  CHECK(rng.below(1) == 0);
}

TEST_CASE("uniform() lies between 0 and 1 with mean one half, bernoulli keeps its probability") {
  Rng rng(8, 0, 0);
  double sum = 0;
  int hits = 0;
  for (int draw = 0; draw < 40000; ++draw) {
    const double value = rng.uniform();
    REQUIRE((value >= 0 && value < 1));
    sum += value;
    hits += rng.bernoulli(0.25) ? 1 : 0;
  }
  CHECK(std::abs(sum / 40000 - 0.5) < 0.006);
  CHECK(std::abs(hits / 40000.0 - 0.25) < 0.009);
}

}  // namespace
}  // namespace leat
