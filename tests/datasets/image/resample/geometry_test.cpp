#include "leat/datasets/image/resample/geometry.h"

#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/errors.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

struct Axis {
  double low, high;
  int resampled;
  PixelRange window;
};

void check_axis(const AxisPlan& axis, const Axis& wanted) {
  CHECK(axis.low == wanted.low);
  CHECK(axis.high == wanted.high);
  CHECK(axis.resampled == wanted.resampled);
  CHECK(axis.window == wanted.window);
}

}  // namespace

TEST_CASE("a new geometry is the identity") {
  const Geometry geometry({500, 375});
  check_axis(geometry.x(), {0, 500, 500, {0, 500}});
  check_axis(geometry.y(), {0, 375, 375, {0, 375}});
  CHECK(geometry.output() == Size{500, 375});
  CHECK(geometry.x().is_copy());
  CHECK_FALSE(geometry.flipped());
}

TEST_CASE("a crop before a resize is the source box") {
  Geometry geometry({500, 375});
  geometry.crop(49, 7, {300, 100});
  CHECK(geometry.x().is_copy());
  geometry.resize({224, 224}, Filter::bicubic);
  check_axis(geometry.x(), {49, 349, 224, {0, 224}});
  check_axis(geometry.y(), {7, 107, 224, {0, 224}});
  CHECK(geometry.filter() == Filter::bicubic);
  CHECK_FALSE(geometry.x().is_copy());
}

TEST_CASE("a crop after a resize is a window") {
  Geometry geometry({500, 375});
  geometry.resize({341, 256}, Filter::bilinear);
  geometry.crop(58, 16, {224, 224});
  check_axis(geometry.x(), {0, 500, 341, {58, 282}});
  check_axis(geometry.y(), {0, 375, 256, {16, 240}});
  geometry.crop(10, 0, {100, 224});
  check_axis(geometry.x(), {0, 500, 341, {68, 168}});
  CHECK(geometry.output() == Size{100, 224});
}

TEST_CASE("a resize of a window resamples the part of the source that it shows") {
  Geometry geometry({400, 200});
  geometry.resize({200, 100}, Filter::bilinear);
  geometry.crop(50, 25, {100, 50});
  geometry.resize({30, 20}, Filter::bilinear);
  check_axis(geometry.x(), {100, 300, 30, {0, 30}});
  check_axis(geometry.y(), {50, 150, 20, {0, 20}});
}

TEST_CASE("the window's right end maps to the box's end without rounding") {
  Geometry geometry({500, 375});
  geometry.resize({333, 7}, Filter::bilinear);
  geometry.crop(110, 3, {223, 4});
  geometry.resize({10, 10}, Filter::bilinear);
  CHECK(geometry.x().high == 500);
  CHECK(geometry.y().high == 375);
  CHECK(geometry.x().low == 500.0 * 110 / 333);
}

TEST_CASE("a crop after a flip is mirrored, and two flips are none") {
  Geometry geometry({500, 375});
  geometry.flip();
  geometry.crop(10, 20, {100, 50});
  CHECK(geometry.x().window == PixelRange{390, 490});
  CHECK(geometry.y().window == PixelRange{20, 70});
  geometry.crop(0, 0, {1, 1});
  CHECK(geometry.x().window == PixelRange{489, 490});
  CHECK(geometry.flipped());
  geometry.flip();
  CHECK_FALSE(geometry.flipped());
}

TEST_CASE("a crop after a vertical flip counts from the bottom") {
  Geometry geometry({500, 375});
  geometry.flip_vertically();
  geometry.crop(10, 20, {100, 50});
  CHECK(geometry.x().window == PixelRange{10, 110});
  CHECK(geometry.y().window == PixelRange{305, 355});
}

TEST_CASE("a reduction leaves at least gap times the resampled pixels, in both directions") {
  Geometry geometry({4000, 1600});
  geometry.resize({400, 200}, Filter::bilinear);  // to a tenth and an eighth
  CHECK(geometry.reduction(0) == 1);
  CHECK(geometry.reduction(1) == 8);
  CHECK(geometry.reduction(1.01) == 4);
  CHECK(geometry.reduction(2) == 4);
  CHECK(geometry.reduction(3) == 2);
  CHECK(geometry.reduction(4.1) == 1);
}

TEST_CASE("a reduced geometry shows the same part of the image") {
  Geometry geometry({501, 375});
  geometry.crop(101, 40, {400, 200});
  geometry.resize({50, 25}, Filter::bilinear);
  const Geometry reduced = geometry.reduced(4);
  CHECK(reduced.source() == Size{126, 94});
  check_axis(reduced.x(), {25.25, 125.25, 50, {0, 50}});
  check_axis(reduced.y(), {10, 60, 25, {0, 25}});
  CHECK(reduced.output() == Size{50, 25});
}

TEST_CASE("a resize to the present size changes nothing, whatever the axis shows") {
  Geometry geometry({500, 375});
  geometry.resize({300, 200}, Filter::bilinear);
  geometry.crop(50, 50, {100, 100});
  geometry.resize({100, 50}, Filter::bilinear);
  check_axis(geometry.x(), {0, 500, 300, {50, 150}});
  CHECK(geometry.y().resampled == 50);
}

TEST_CASE("impossible edits are refused with their sizes") {
  Geometry geometry({50, 40});
  expect_error<ArgumentError>([&] { geometry.crop(11, 0, {40, 40}); }, {"40 x 40", "(11, 0)", "50 x 40"});
  expect_error<ArgumentError>([&] { geometry.crop(-1, 0, {4, 4}); }, {"(-1, 0)"});
  expect_error<ArgumentError>([&] { geometry.crop(0, 0, {0, 4}); }, {"0 x 4"});
  expect_error<ArgumentError>([&] { geometry.crop(1, 1, {2147483647, 4}); }, {"does not fit"});
  expect_error<ArgumentError>([&] { geometry.resize({0, 4}, Filter::box); }, {"0 x 4"});
  expect_error<ArgumentError>([&] { Geometry({0, 7}); }, {"0 x 7"});
}

}  // namespace leat::test
