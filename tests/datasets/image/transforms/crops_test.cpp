#include "leat/datasets/image/transforms/transform_plan.h"

#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/transforms.h"
#include "tests/support/chi_squared.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

Canvas canvas_of(const TransformPipeline& pipeline, Size source, Rng rng = Rng(1, 2, 3)) {
  return leat::detail::plan(pipeline, source, rng).canvas;
}

}  // namespace

TEST_CASE("RandomCrop draws top, then left") {
  const Geometry geometry = canvas_of(RandomCrop(30, 20), {100, 80}, Rng(9, 8, 7)).geometry();
  Rng rng(9, 8, 7);
  const auto top = static_cast<int>(rng.below(51)), left = static_cast<int>(rng.below(81));
  CHECK(geometry.x().window == PixelRange{left, left + 20});
  CHECK(geometry.y().window == PixelRange{top, top + 30});
}

TEST_CASE(
    "RandomCrop draws where there is no choice, too, so that what follows has its numbers at any size") {
  const TransformPipeline pipeline = RandomCrop{32} | RandomHorizontalFlip{};
  for (std::uint64_t index = 0; index < 20; ++index) {
    Rng rng(5, 0, index);
    rng.below(1);
    rng.below(1);
    CHECK(canvas_of(pipeline, {32, 32}, Rng(5, 0, index)).geometry().flipped() == rng.bernoulli(0.5));
  }
}

TEST_CASE("RandomCrop takes every place equally often, its border included") {
  // 4 x 3 with a border of 1 is 6 x 5: a crop of 4 x 3 has nine places.
  std::vector<double> counts(9), expected(9, 200);
  for (std::uint64_t index = 0; index < 1800; ++index) {
    const Canvas canvas = canvas_of(RandomCrop(3, 4, {.padding = 1}), {4, 3}, Rng(17, 0, index));
    REQUIRE(canvas.size() == Size{4, 3});
    Image seen(canvas.geometry().output()), out({4, 3});
    for (int y = 0; y < seen.size().height; ++y) {  // each pixel tells its column and row, from 1 on
      for (int x = 0; x < seen.size().width; ++x) {
        seen.view().pixel(x, y)[0] = static_cast<std::uint8_t>(canvas.geometry().x().window.first + x + 1);
        seen.view().pixel(x, y)[1] = static_cast<std::uint8_t>(canvas.geometry().y().window.first + y + 1);
      }
    }
    if (canvas.is_bordered()) {
      canvas.paint(seen.view(), out.view());
    } else {
      out = seen;
    }
    const std::uint8_t* middle = out.view().pixel(1, 1);
    ++counts[static_cast<std::size_t>((middle[1] - 1) * 3 + middle[0] - 1)];
  }
  INFO("seed 17");
  CHECK(chi_squared(counts, expected) < chi_squared_limit(8));
}

TEST_CASE("RandomCrop pads an image that is too small by what it lacks, on both sides") {
  const Canvas canvas = canvas_of(RandomCrop(8, 10, {.pad_if_needed = true, .fill = {1, 2, 3}}), {6, 20});
  Rng rng(1, 2, 3);
  rng.below(1);
  const auto left = static_cast<int>(rng.below(11));  // of 20 columns and 10
  CHECK(left >= 0);
  CHECK(canvas_of(RandomCrop(8, 10, {.pad_if_needed = true}), {6, 4}).size() == Size{10, 8});
  CHECK(canvas_of(RandomCrop(8, 10, {.pad_if_needed = true}), {40, 30}).is_bordered() == false);
  CHECK(canvas.size() == Size{10, 8});
  // 6 columns with 4 on either side, of which 10 are seen.
  for (std::uint64_t index = 0; index < 50; ++index) {
    const Canvas across = canvas_of(RandomCrop(8, 10, {.pad_if_needed = true}), {6, 8}, Rng(2, 0, index));
    Rng drawn(2, 0, index);
    drawn.below(1);
    const auto at = static_cast<int>(drawn.below(5));  // 14 - 10 + 1 places
    Image seen(across.geometry().output()), out({10, 8});
    for (int y = 0; y < 8; ++y) fill_run(seen.view().row(y), seen.size().width, {200, 200, 200});
    across.paint(seen.view(), out.view());
    for (int x = 0; x < 10; ++x) {
      const bool inside = x + at >= 4 && x + at < 10;
      REQUIRE(out.view().pixel(x, 5)[1] == (inside ? 200 : 0));
    }
  }
}

TEST_CASE("an image that is too small for RandomCrop is an error that names both sizes and the remedy") {
  expect_error<ArgumentError>(
      [] {
        canvas_of(RandomCrop{32}, {31, 40});
      },
      {"RandomCrop", "32 x 32", "31 x 40", "pad_if_needed"});
  expect_error<ArgumentError>([] { canvas_of(RandomCrop(32, {.padding = {0, 2}}), {31, 40}); }, {"31 x 44"});
}

TEST_CASE("crops and borders say their output's size") {
  CHECK(TransformPipeline(RandomCrop(32, 48)).output_size() == Size{48, 32});
  CHECK(TransformPipeline(Pad{2}).output_size() == std::nullopt);
  CHECK(TransformPipeline(Pad{{1, 2, 3, 4}}).output_size(Size{10, 20}) == Size{14, 26});
  CHECK((Resize(20, 10) | Pad{{5, 3}} | ColorJitter{0.5}).output_size() == Size{20, 26});
  CHECK(canvas_of(Pad{{1, 2, 3, 4}}, {10, 20}).size() == Size{14, 26});
}

TEST_CASE("crops and borders refuse parameters out of range") {
  expect_error<ArgumentError>([] { RandomCrop{0}; }, {"RandomCrop", "0 x 0"});
  expect_error<ArgumentError>([] { RandomCrop(8, {.padding = -1}); }, {"RandomCrop", "-1, -1, -1, -1"});
  expect_error<ArgumentError>([] { Pad{{0, 0, -3, 0}}; }, {"Pad", "0, 0, -3, 0"});
  expect_error<ArgumentError>([] { canvas_of(Pad{1 << 20}, {1, 1}); }, {"1048576"});
}

}  // namespace leat::test
