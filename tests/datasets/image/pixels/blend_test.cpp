#include "leat/datasets/image/pixels/blend.h"

#include <limits>

#include "leat/datasets/errors.h"
#include "leat/datasets/rng.h"
#include "tests/datasets/image/every_target.h"
#include "tests/datasets/image/image_hash.h"
#include "tests/datasets/image/pixels/pixel_images.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

void sharpen(MutableImageView pixels, double factor) {
  Image scratch;
  adjust_sharpness(pixels, factor, scratch);
}

using Adjustment = void (*)(MutableImageView, double);
constexpr Adjustment kAdjustments[] = {adjust_brightness, adjust_contrast, adjust_saturation, sharpen};

struct Golden {
  int adjustment;  // of those above
  double factor;
  std::uint64_t checksum;
};

// Pillow 9.4: ImageEnhance.{Brightness, Contrast, Color, Sharpness}(image).enhance(factor).
constexpr Golden kGolden[] = {
    {0, 0, 0x08946163a88a99ff},   {0, 0.3, 0x015db8b7de89d8fb}, {0, 1, 0xa4aeeeabb61b1d80},
    {0, 1.7, 0x2881148f46a06687}, {0, 4, 0x0cc17f17cfb1966b},   {0, -0.5, 0x08946163a88a99ff},
    {1, 0, 0xba3c7d2fe317277f},   {1, 0.3, 0xc18294016ce5203b}, {1, 1, 0xa4aeeeabb61b1d80},
    {1, 1.7, 0xb9329ff75a40b183}, {1, 4, 0x7a9ed4a56bd26f34},   {1, -0.5, 0xd0c17a490479360a},
    {2, 0, 0xdada397e58a48903},   {2, 0.3, 0x6a657eb8d68cd80f}, {2, 1, 0xa4aeeeabb61b1d80},
    {2, 1.7, 0xef77a3cb510cf29e}, {2, 4, 0x7867acb5df7a8bb7},   {2, -0.5, 0xb6178513bce88467},
    {3, 0, 0xe9fdb0a8189e9fa4},   {3, 0.3, 0x5184073eda800813}, {3, 1, 0xa4aeeeabb61b1d80},
    {3, 1.7, 0x2288230a23016b9e}, {3, 4, 0xf8f9b70c142cd9b9},   {3, -0.5, 0xb2aac5060cf173da},
};

}  // namespace

TEST_CASE("blends give the bytes of Pillow's enhancements on every instruction set") {
  on_every_target([] {
    for (const Golden& golden : kGolden) {
      INFO("adjustment " << golden.adjustment << " by " << golden.factor);
      Image image = golden_source();
      kAdjustments[golden.adjustment](image.view(), golden.factor);
      CHECK(fnv1a(image) == golden.checksum);
    }
  });
}

TEST_CASE("rows with gaps between them are blended like those without") {
  for (const Golden& golden : kGolden) {
    GappyImage image(golden_source().view(), 5);
    kAdjustments[golden.adjustment](image.view(), golden.factor);
    CHECK(fnv1a(image.view()) == golden.checksum);
    CHECK(image.gaps_are_untouched());
  }
}

TEST_CASE("brightness multiplies, truncates and clamps") {
  Image image = row_of({{10, 101, 200}});
  adjust_brightness(image.view(), 1.5);
  CHECK(pixel_at(image, 0, 0) == Rgb{15, 151, 255});  // 15, 151.5, 300
  adjust_brightness(image.view(), 0.5);
  CHECK(pixel_at(image, 0, 0) == Rgb{7, 75, 127});
  adjust_brightness(image.view(), -1);
  CHECK(pixel_at(image, 0, 0) == Rgb{0, 0, 0});
}

TEST_CASE("contrast blends with the mean of the gray values, rounded") {
  Image image = row_of({{0, 0, 0}, {255, 255, 255}});  // 127.5 in the mean
  adjust_contrast(image.view(), 0.5);
  CHECK(pixel_at(image, 0, 0) == Rgb{64, 64, 64});
  CHECK(pixel_at(image, 1, 0) == Rgb{191, 191, 191});  // 128 + 127 / 2
}

TEST_CASE("saturation blends each pixel with its gray value") {
  Image image = row_of({{255, 0, 0}, {9, 9, 9}});  // gray 76 = 0.299 * 255, and 9
  adjust_saturation(image.view(), 1.5);
  CHECK(pixel_at(image, 0, 0) == Rgb{255, 0, 0});  // 76 + 1.5 * 179, 76 - 1.5 * 76
  CHECK(pixel_at(image, 1, 0) == Rgb{9, 9, 9});
  adjust_saturation(image.view(), 0);
  CHECK(pixel_at(image, 0, 0) == Rgb{76, 76, 76});
}

TEST_CASE("sharpness blends with a mean of nine pixels and leaves the border") {
  Image image({3, 3});
  fill_run(image.view().data, 9, {13, 0, 255});
  fill_run(image.view().pixel(1, 1), 1, {130, 130, 0});
  Image scratch;
  adjust_sharpness(image.view(), 2, scratch);
  // Smoothed: (8 * 13 + 5 * 130) / 13 = 58, 50, and 8 * 255 / 13 = 156.9.
  CHECK(pixel_at(image, 1, 1) == Rgb{202, 210, 0});
  for (int i = 0; i < 9; ++i) {
    if (i != 4) CHECK(pixel_at(image, i % 3, i / 3) == Rgb{13, 0, 255});
  }
}

TEST_CASE("images without an inner pixel stay as sharp as they are") {
  for (const Size size : {Size{1, 1}, Size{2, 9}, Size{9, 2}, Size{0, 0}}) {
    Image image = image_of(size, formula);
    sharpen(image.view(), 3);
    CHECK(equal(image, image_of(size, formula)));
  }
}

TEST_CASE("a factor of 1 changes nothing, and no pixels can be blended, too") {
  for (const Adjustment adjust : kAdjustments) {
    Image image = golden_source(), none({0, 4});
    adjust(image.view(), 1);
    adjust(none.view(), 0.5);
    CHECK(equal(image, golden_source()));
  }
}

TEST_CASE("blends of every width are those of their pixels") {
  on_every_target([] {
    for (int width = 1; width <= 140; ++width) {
      Image wide = image_of({width, 1}, formula);
      adjust_saturation(wide.view(), 1.7);
      for (int x = 0; x < width; ++x) {
        Image single = image_of({1, 1}, [x](int, int, int c) { return formula(x, 0, c); });
        adjust_saturation(single.view(), 1.7);
        REQUIRE(pixel_at(wide, x, 0) == pixel_at(single, 0, 0));
      }
    }
  });
}

TEST_CASE("factors may be huge, but not infinite") {
  Image image = row_of({{0, 1, 255}});
  adjust_brightness(image.view(), 3e38);
  CHECK(pixel_at(image, 0, 0) == Rgb{0, 255, 255});
  adjust_contrast(image.view(), -3e38);  // the mean gray value is 179
  CHECK(pixel_at(image, 0, 0) == Rgb{255, 0, 0});
  for (const double factor :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    for (const Adjustment adjust : kAdjustments) {
      expect_error<ArgumentError>([&] { adjust(image.view(), factor); }, {"blended by"});
    }
  }
  expect_error<ArgumentError>([&] { adjust_brightness(image.view(), 1e39); }, {"1e+39"});
}

}  // namespace leat::test
