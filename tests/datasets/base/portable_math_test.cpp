#include "leat/datasets/base/portable_math.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <random>

using namespace leat::detail;

namespace {

bool is_near(double value, double exact) {
  return std::abs(value - exact) <= 1e-15 * std::abs(exact) + 1e-15 * (std::abs(exact) < 1 ? 1 : 0);
}

}  // namespace

TEST_CASE("the portable logarithm is near the true one") {
  INFO("seed 5");
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent(-700, 700);
  for (int i = 0; i < 100'000; ++i) {
    const double value = std::exp(exponent(random));
    REQUIRE(is_near(portable_log(value), std::log(value)));
    const double unit = static_cast<double>(random() >> 12 | 1) * 0x1p-52;
    REQUIRE(is_near(portable_log(unit), std::log(unit)));
  }
  CHECK(portable_log(1) == 0);
}

TEST_CASE("the portable exponential is near the true one") {
  INFO("seed 6");
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> exponent(-700, 700);
  for (int i = 0; i < 100'000; ++i) {
    const double value = exponent(random);
    REQUIRE(std::abs(portable_exp(value) / std::exp(value) - 1) <= 1e-15);
  }
  CHECK(portable_exp(0) == 1);
  CHECK(portable_exp(-1e9) == 0);
  CHECK(std::isinf(portable_exp(1e9)));
}

TEST_CASE("the portable functions have the same bits on every platform") {
  CHECK(std::bit_cast<std::uint64_t>(portable_log(0.3)) == 0xbff34378fcbda721);
  CHECK(std::bit_cast<std::uint64_t>(portable_exp(0.3)) == 0x3ff599058c8c1a96);
  CHECK(std::bit_cast<std::uint64_t>(portable_exp(-12.7)) == 0x3ec9983e03b1de10);
}
