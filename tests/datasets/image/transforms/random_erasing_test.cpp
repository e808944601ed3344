#include "leat/datasets/image/transforms/transform_plan.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/image/transforms/edits_of.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

TEST_CASE("RandomErasing draws whether, area, ratio, top and left, in this order") {
  const PixelEdits edits =
      edits_of(RandomErasing(0.999, {0.04, 0.09}, {0.5, 2.0}, {1, 2, 3}), {1000, 500}, Rng(9, 8, 7));
  Rng rng(9, 8, 7);
  REQUIRE(rng.uniform() < 0.999);
  const double area = 5e5 * rng.uniform(0.04, 0.09);
  const double ratio = std::exp(rng.uniform(std::log(0.5), std::log(2.0)));  // height / width
  const int height = int(std::nearbyint(std::sqrt(area * ratio))),
            width = int(std::nearbyint(std::sqrt(area / ratio)));
  const auto top = static_cast<int>(rng.below(501 - std::uint64_t(height)));
  const auto left = static_cast<int>(rng.below(1001 - std::uint64_t(width)));
  const auto [box, value] = edit_at<edit::Erase>(edits);
  CHECK(box.size == Size{width, height});
  CHECK(box.top == top);
  CHECK(box.left == left);
  CHECK(value == Rgb{1, 2, 3});
}

TEST_CASE("RandomErasing stays within the image, its scale and its ratio, and erases as often as it says") {
  int erased = 0;
  for (std::uint64_t index = 0; index < 4000; ++index) {
    INFO("seed 6, index " << index);
    const PixelEdits edits = edits_of(RandomErasing{0.25}, {400, 300}, Rng(6, 0, index));
    if (edits.empty()) continue;
    ++erased;
    const auto [box, value] = edit_at<edit::Erase>(edits);
    const auto& [left, top, size] = box;
    REQUIRE((left >= 0 && top >= 0 && left + size.width <= 400 && top + size.height <= 300));
    REQUIRE((size.width < 400 && size.height < 300));
    const double share = double(size.width) * size.height / (400 * 300),
                 ratio = double(size.height) / size.width;
    REQUIRE((share > 0.02 * 0.95 && share < 0.33 * 1.02));  // extents are rounded to whole pixels
    REQUIRE((ratio > 0.3 * 0.95 && ratio < 3.3 * 1.05));
  }
  INFO("seed 6");
  CHECK(erased == Catch::Approx(1000).margin(110));  // four standard deviations
}

TEST_CASE("where no try fits, RandomErasing leaves the image alone") {
  CHECK(edits_of(RandomErasing(1, {1, 1}, {1, 1}), {30, 20}, Rng(1, 1, 1)).empty());
  CHECK(edits_of(RandomErasing(1, {0.9, 1}), {1, 1}, Rng(1, 1, 1)).empty());
}

TEST_CASE("erasing paints the box and nothing else") {
  Image image = image_of({7, 5}, formula), scratch;
  apply(edit::Erase{{2, 1, {3, 2}}, {9, 8, 7}}, image.view(), scratch);
  for (int y = 0; y < 5; ++y) {
    for (int x = 0; x < 7; ++x) {
      const bool inside = x >= 2 && x < 5 && y >= 1 && y < 3;
      for (int c = 0; c < 3; ++c) REQUIRE(image.view().pixel(x, y)[c] == (inside ? 9 - c : formula(x, y, c)));
    }
  }
}

TEST_CASE("RandomErasing refuses parameters out of range") {
  expect_error<ArgumentError>([] { RandomErasing{1.5}; }, {"RandomErasing", "p is 1.5"});
  expect_error<ArgumentError>([] { RandomErasing(1, {0.2, 1.5}); }, {"RandomErasing", "scale", "1.5"});
  expect_error<ArgumentError>([] { RandomErasing(1, {0.5, 0.2}); }, {"scale", "[0.5, 0.2]"});
  expect_error<ArgumentError>([] { RandomErasing(1, {0.1, 0.2}, {0, 1}); }, {"RandomErasing", "ratio"});
}

}  // namespace leat::test
