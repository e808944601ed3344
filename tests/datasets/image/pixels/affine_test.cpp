#include "leat/datasets/image/pixels/affine.h"

#include <limits>

#include "leat/datasets/errors.h"
#include "tests/datasets/image/image_hash.h"
#include "tests/datasets/image/pixels/pixel_images.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

constexpr Rgb kFill{1, 2, 3};

Image moved(const Image& from, Size size, const AffineMatrix& matrix) {
  Image to(size);
  affine(from.view(), to.view(), matrix, kFill);
  return to;
}

struct Golden {
  const char* name;
  Size size;
  AffineMatrix matrix;
  std::uint64_t checksum;
};

// Pillow 9.4: transform(size, AFFINE, matrix, NEAREST, fillcolor=(1, 2, 3)).
constexpr Golden kGolden[] = {
    {"turned by 30 degrees",
     {37, 23},
     {0.8660254037844387, 0.49999999999999994, -3.2714699700121166, -0.49999999999999994, 0.8660254037844387,
      10.790707856478953},
     0xaea14d6962549782},
    {"turned, enlarged and sheared",
     {37, 23},
     {0.1382421047809118, -1.4203584935282183, 29.02120043572847, 1.4417320183515252, -0.05034639148172579,
      -19.018947675481396},
     0xf2265e0dc6927c8a},
    {"sheared", {37, 23}, {0.75, 0.25, -2.5, -0.25, 1.25, 1.0}, 0xaad05f79e8edca05},
    {"mirrored", {20, 40}, {-1, 0, 37, 0, 1, 0}, 0x553cf0ebd87cfc09},
    {"scaled", {50, 31}, {0.7, 0, -2.5, 0, 1.3, 1.25}, 0x2e885c3d475e9cef},
    // Beyond fixed point: only row 5 lies in the source.
    {"torn apart", {37, 23}, {0.75, 0.25, -1, 0.25, 2000, -10997}, 0xd9e4a2ea0171c5fa},
};

}  // namespace

TEST_CASE("affine copies are the bytes of Pillow's") {
  for (const Golden& golden : kGolden) {
    INFO(golden.name);
    CHECK(fnv1a(moved(golden_source(), golden.size, golden.matrix)) == golden.checksum);
  }
}

TEST_CASE("affine copies read and write rows with gaps") {
  for (const Golden& golden : kGolden) {
    GappyImage from(golden_source().view(), 5), to(Image(golden.size).view(), 4);
    affine(from.view(), to.view(), golden.matrix, kFill);
    CHECK(fnv1a(to.view()) == golden.checksum);
    CHECK(to.gaps_are_untouched());
  }
}

TEST_CASE("the identity copies, and whole pixels move") {
  const Image source = golden_source();
  CHECK(equal(moved(source, kGoldenSize, {1, 0, 0, 0, 1, 0}), source));
  const auto shifted = [](int x, int y, int c) {
    const bool inside = x + 5 < kGoldenSize.width && y - 3 >= 0;
    return inside ? formula(x + 5, y - 3, c) : c + 1;
  };
  CHECK(equal(moved(source, kGoldenSize, {1, 0, 5, 0, 1, -3}), image_of(kGoldenSize, shifted)));
}

TEST_CASE("quarter turns hit the centers of pixels") {
  const Image source = golden_source();
  const int w = kGoldenSize.width, h = kGoldenSize.height;
  const auto left = [&](int x, int y, int c) { return formula(w - 1 - y, x, c); };
  CHECK(equal(moved(source, {h, w}, {0, -1, double(w), 1, 0, 0}), image_of({h, w}, left)));
  const auto right = [&](int x, int y, int c) { return formula(y, h - 1 - x, c); };
  CHECK(equal(moved(source, {h, w}, {0, 1, 0, -1, 0, double(h)}), image_of({h, w}, right)));
}

TEST_CASE("pixels at a border belong to the source up to its edge, but not with it") {
  const Image source = row_of({{10, 20, 30}, {40, 50, 60}});
  // Centers at -0.25, 0.25 ... 2.25, scaled and, for the second matrix, in fixed point.
  for (const double shear : {0.0, 0.25}) {
    const Image out = moved(source, {6, 1}, {0.5, 0, -0.5, 0, 1, 0});
    const Image fixed = moved(source, {6, 1}, {0.5, shear, -0.5 - shear * 0.5, 0, 1, 0});
    CHECK(equal(out, row_of({kFill, {10, 20, 30}, {10, 20, 30}, {40, 50, 60}, {40, 50, 60}, kFill})));
    CHECK(equal(out, fixed));
  }
  CHECK(equal(moved(source, {2, 1}, {1, 0, 1.5, 0, 1, 0}), row_of({kFill, kFill})));  // at 2 and 3
}

TEST_CASE("where nothing of the source is met, all is filled") {
  const Image source = image_of({1, 1}, formula), none;
  const Image filled = image_of({4, 3}, [](int, int, int c) { return c + 1; });
  for (const AffineMatrix& far :
       {AffineMatrix{1, 0, 50, 0, 1, 0}, AffineMatrix{1, 0, 0, 0, 1, -1e300},
        AffineMatrix{0.1, 0.1, 9, 0.1, 0.1, 9}, AffineMatrix{1e300, 1e300, 1e300, 1e300, 1e300, 1e300}}) {
    CHECK(equal(moved(source, {4, 3}, far), filled));
    CHECK(equal(moved(none, {4, 3}, far), filled));
  }
  CHECK(moved(source, {0, 7}, {1e300, 1, 0, 1, 1, 0}).size() == Size{0, 7});
  CHECK(moved(source, {7, 0}, {1, 1e300, 0, 1, 1e300, 0}).size() == Size{7, 0});
}

TEST_CASE("a matrix of one point paints the output with one pixel") {
  const Image out = moved(golden_source(), {5, 4}, {0, 0, 7.5, 0, 0, 2.5});
  CHECK(equal(out, image_of({5, 4}, [](int, int, int c) { return formula(7, 2, c); })));
}

TEST_CASE("matrices are finite") {
  const Image source = golden_source();
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  expect_error<ArgumentError>([&] { moved(source, {1, 1}, {nan, 0, 0, 0, 1, 0}); }, {"finite"});
  expect_error<ArgumentError>([&] { moved(source, {1, 1}, {1, 0, 0, 0, 1, infinity}); }, {"finite"});
}

}  // namespace leat::test
