#include "leat/transfer/mixing_draws.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "leat/datasets/errors.h"
#include "tests/support/expect_error.h"

using namespace leat;
using test::expect_error;

namespace {

constexpr int kDraws = 100'000;

// Beta(a, a) has mean 1/2, variance 1 / (4 (2a + 1)), no skewness, and the kurtosis 3 - 6 / (2a + 3). Over n draws,
// each sample moment is within 5 of its standard deviations.
void check_moments(double alpha) {
  INFO("alpha " << alpha);
  Rng rng(17, 0, 0);
  double second = 0, fourth = 0, sixth = 0, eighth = 0, first = 0, third = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = draw_beta(rng, alpha) - 0.5;
    REQUIRE(std::abs(x) <= 0.5);
    const double square = x * x;
    first += x;
    second += square;
    third += square * x;
    fourth += square * square;
    sixth += square * square * square;
    eighth += square * square * square * square;
  }
  const double n = kDraws;
  const double variance = 1 / (4 * (2 * alpha + 1));
  const double kurtosis = 3 - 6 / (2 * alpha + 3);
  const auto deviation = [&](double of_squares, double mean) {
    return std::sqrt((of_squares / n - mean * mean) / n);
  };
  CHECK(std::abs(first / n) < 5 * deviation(second, 0));
  CHECK(std::abs(second / n - variance) < 5 * deviation(fourth, second / n));
  CHECK(std::abs(third / n) < 5 * deviation(sixth, 0));
  CHECK(std::abs(fourth / n - kurtosis * variance * variance) < 5 * deviation(eighth, fourth / n));
}

}  // namespace

TEST_CASE("draws of Beta have its moments") {
  for (const double alpha : {0.05, 0.2, 0.5, 1.0, 1.5, 2.0, 10.0}) check_moments(alpha);
}

TEST_CASE("draws of Beta are numbers for every alpha") {
  Rng rng(3, 1, 4);
  for (const double alpha : {1e-6, 1e-3, 1e3, 1e6}) {
    for (int i = 0; i < 1000; ++i) {
      const double value = draw_beta(rng, alpha);
      REQUIRE(value >= 0);
      REQUIRE(value <= 1);
      if (alpha >= 1e3) REQUIRE(std::abs(value - 0.5) < 0.1);
    }
  }
  for (const double alpha : {0.0, -1.0, 1e-7, 1e7, std::nan("")})
    expect_error<ArgumentError>([&] { draw_beta(rng, alpha); }, {"alpha"});
}

TEST_CASE("draws of Beta have the same bits on every platform") {
  const auto bits = [](double alpha) {
    Rng rng = mixing_rng(7, 2, 5);
    return std::bit_cast<std::uint64_t>(draw_beta(rng, alpha));
  };
  CHECK(bits(0.2) == 0x3faab8663fc89b9f);
  CHECK(bits(1) == 0x3fd6f94740840153);
  CHECK(bits(2) == 0x3fd7265c76516ebe);
}

TEST_CASE("the numbers of a batch are those of no sample and no other batch") {
  const auto first = [](Rng rng) { return rng.bits64(); };
  const std::uint64_t own = first(mixing_rng(7, 2, 5));
  CHECK(own == first(mixing_rng(7, 2, 5)));
  CHECK(own != first(mixing_rng(8, 2, 5)));
  CHECK(own != first(mixing_rng(7, 3, 5)));
  CHECK(own != first(mixing_rng(7, 2, 6)));
  CHECK(own != first(Rng(7, 2, 5)));
}

TEST_CASE("boxes are drawn as by torchvision") {
  Rng rng(1, 2, 3);
  for (int i = 0; i < 10'000; ++i) {
    Rng same = rng;
    const PixelBox box = draw_cutmix(rng, 1, 24, 32).box;
    const double half = 0.5 * std::sqrt(1 - draw_beta(same, 1));
    const int x = static_cast<int>(same.below(32)), y = static_cast<int>(same.below(24));
    const int w = static_cast<int>(half * 32), h = static_cast<int>(half * 24);
    const auto clamped = [](int value, int limit) {
      return static_cast<std::size_t>(value < 0 ? 0 : value > limit ? limit : value);
    };
    REQUIRE(box == PixelBox{clamped(x - w, 32), clamped(y - h, 24), clamped(x + w, 32), clamped(y + h, 24)});
  }
  expect_error<ArgumentError>([&] { draw_cutmix(rng, 1, 0, 32); }, {"32 x 0"});
}

TEST_CASE("the mean share of a box is that of torchvision's") {
  Rng rng(5, 0, 0);
  double inside = 0;
  for (int i = 0; i < kDraws; ++i) {
    CutMix cut;
    cut.batch.shape = {1, 224, 224, 3};
    cut.box = draw_cutmix(rng, 1, 224, 224).box;
    inside += 1 - cut.lambda();
  }
  // Of a side s of the image, uncut, E[s] of the area s^2 = 1 - lambda remains (1 - s / 4)^2 on average over all
  // centers: the integral over lambda in [0, 1] of s^2 (1 - s / 4)^2 with s = sqrt(1 - lambda) is 1/2 - 1/5 + 1/48 =
  // 0.3208.
  CHECK(std::abs(inside / kDraws - 0.3208) < 0.01);
}
