#include "leat/datasets/image/transforms/transform_plan.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <map>
#include <string>

#include "tests/datasets/image/transforms/edits_of.h"
#include "tests/support/chi_squared.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

constexpr Size kImageBytes{8, 8};

// "bcsh" in the order of the edits.
std::string order_of(const PixelEdits& edits) {
  std::string order;
  for (const PixelEdit& edit : edits) order += "bcs?h"[edit.index()];
  return order;
}

}  // namespace

TEST_CASE("ColorJitter draws the order, then brightness, contrast, saturation and hue") {
  Rng rng(9, 8, 7);
  std::string order = "bcsh";
  for (std::size_t place = 3; place > 0; --place) std::swap(order[place], order[rng.below(place + 1)]);
  const double brightness = rng.uniform(0.6, 1.4), contrast = rng.uniform(0, 3),
               saturation = rng.uniform(0.5, 0.75), hue = rng.uniform(-0.1, 0.1);
  const PixelEdits edits = edits_of(ColorJitter{0.4, 2, Interval{0.5, 0.75}, 0.1}, kImageBytes, Rng(9, 8, 7));
  REQUIRE(order_of(edits) == order);
  const auto at = [&](char what) { return order.find(what); };
  CHECK(edit_at<edit::Brightness>(edits, at('b')).factor == brightness);
  CHECK(edit_at<edit::Contrast>(edits, at('c')).factor == contrast);
  CHECK(edit_at<edit::Saturation>(edits, at('s')).factor == saturation);
  CHECK(edit_at<edit::Hue>(edits, at('h')).shift == hue);
}

TEST_CASE("ColorJitter takes all 24 orders equally often, and factors over their whole interval") {
  std::map<std::string, double> counts;
  double least = 2, most = 0, sum = 0;
  for (std::uint64_t index = 0; index < 4800; ++index) {
    const PixelEdits edits = edits_of(ColorJitter{0.5, 0.5, 0.5, 0.5}, kImageBytes, Rng(21, 0, index));
    const std::string order = order_of(edits);
    ++counts[order];
    const double factor = edit_at<edit::Brightness>(edits, order.find('b')).factor;
    least = std::min(least, factor);
    most = std::max(most, factor);
    sum += factor;
    REQUIRE(std::abs(edit_at<edit::Hue>(edits, order.find('h')).shift) <= 0.5);
  }
  INFO("seed 21");
  REQUIRE(counts.size() == 24);
  std::vector<double> observed;
  for (const auto& [order, count] : counts) observed.push_back(count);
  CHECK(chi_squared(observed, std::vector<double>(24, 200)) < chi_squared_limit(23));
  CHECK((least >= 0.5 && least < 0.51 && most > 1.49 && most < 1.5));
  CHECK(std::abs(sum / 4800 - 1) < 0.0167);  // four standard deviations
}

TEST_CASE("ColorJitter leaves alone what has no amount, and draws nothing for it") {
  CHECK(edits_of(ColorJitter{}, kImageBytes, Rng(1, 1, 1)).empty());
  CHECK(edits_of(ColorJitter{Interval{1, 1}, 0, 0, Interval{0, 0}}, kImageBytes, Rng(1, 1, 1)).empty());
  Rng rng(4, 4, 4);
  for (const std::uint64_t limit : {4, 3, 2}) rng.below(limit);
  const PixelEdits edits = edits_of(ColorJitter{0, 0, 0.5}, kImageBytes, Rng(4, 4, 4));
  REQUIRE(edits.size() == 1);
  CHECK(edit_at<edit::Saturation>(edits).factor == rng.uniform(0.5, 1.5));
}

TEST_CASE("ColorJitter refuses amounts and intervals out of range") {
  expect_error<ArgumentError>([] { ColorJitter{-0.1}; }, {"ColorJitter", "brightness", "-0.1"});
  expect_error<ArgumentError>([] { ColorJitter(0, Interval{2, 1}); }, {"contrast", "2", "1"});
  expect_error<ArgumentError>([] { ColorJitter(0, 0, Interval{-1, 1}); }, {"saturation", "-1"});
  expect_error<ArgumentError>([] { ColorJitter(0, 0, 0, 0.6); }, {"hue", "0.6", "0.5"});
  expect_error<ArgumentError>([] { ColorJitter(0, 0, 0, Interval{-0.7, 0}); }, {"hue", "-0.7"});
  expect_error<ArgumentError>([] { ColorJitter{std::nan("")}; }, {"brightness", "nan"});
  expect_error<ArgumentError>([] { ColorJitter{INFINITY}; }, {"brightness", "inf"});
}

}  // namespace leat::test
