#include "leat/datasets/base/half_math.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <random>

namespace leat::test {

using namespace leat::detail;

namespace {

TEST_CASE("widening gives the bits of to_float for every 16-bit number") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<Half>(bits);
    const auto brain = static_cast<BFloat16>(bits);
    if (std::isnan(to_float(half))) {
      REQUIRE(std::isnan(widen(half)));
    } else {
      REQUIRE(std::bit_cast<std::uint32_t>(widen(half)) == std::bit_cast<std::uint32_t>(to_float(half)));
    }
    REQUIRE(std::bit_cast<std::uint32_t>(widen(brain)) == std::bit_cast<std::uint32_t>(to_float(brain)));
  }
}

void check_narrowing(std::uint32_t bits) {
  const auto value = std::bit_cast<float>(bits);
  INFO("bits " << bits);
  if (std::isnan(value)) {
    REQUIRE(std::isnan(to_float(narrow_to_half(value))));
    REQUIRE(std::isnan(to_float(narrow_to_bfloat16(value))));
  } else {
    REQUIRE(narrow_to_half(value) == to_half(value));
    REQUIRE(narrow_to_bfloat16(value) == to_bfloat16(value));
  }
}

TEST_CASE("narrowing gives the bits of to_half and to_bfloat16") {
  SECTION("at and around every point where the rounding changes") {
    for (std::uint32_t top = 0; top < 0x80000; ++top) {  // sign, exponent, 10 bits of the mantissa
      for (const std::uint32_t low : {0x0U, 0x1U, 0xfffU, 0x1000U, 0x1001U, 0x1fffU}) {
        check_narrowing((top << 13) | low);
      }
    }
  }
  SECTION("at random") {
    INFO("seed 3");
    std::mt19937 random(3);
    for (int i = 0; i < 200'000; ++i) check_narrowing(static_cast<std::uint32_t>(random()));
  }
}

}  // namespace
}  // namespace leat::test
