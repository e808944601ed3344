#include "leat/datasets/image/pixels/grayscale.h"

#include "tests/datasets/image/every_target.h"
#include "tests/datasets/image/image_hash.h"
#include "tests/datasets/image/pixels/pixel_images.h"

namespace leat::test {

using namespace leat::detail;

namespace {

constexpr std::uint64_t kGolden = 0xdada397e58a48903;  // Pillow 9.4: convert("L").convert("RGB")

}  // namespace

TEST_CASE("gray images are Pillow's on every instruction set") {
  on_every_target([] {
    Image image = golden_source();
    GappyImage gappy(image.view(), 3);
    to_grayscale(image.view());
    to_grayscale(gappy.view());
    CHECK(fnv1a(image) == kGolden);
    CHECK(fnv1a(gappy.view()) == kGolden);
    CHECK(gappy.gaps_are_untouched());
  });
}

TEST_CASE("gray values weigh channels by ITU-R 601") {
  // 0.299, 0.587 and 0.114 of 255, to nearest; shares of white add up to white.
  Image image = row_of({{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 255}, {7, 7, 7}});
  to_grayscale(image.view());
  const std::uint8_t expected[] = {76, 150, 29, 255, 7};
  for (int x = 0; x < 5; ++x) CHECK(pixel_at(image, x, 0) == Rgb{expected[x], expected[x], expected[x]});
}

TEST_CASE("every instruction set makes the gray value of each pixel, in rows of any width") {
  on_every_target([] {
    for (int width = 0; width <= 140; ++width) {
      const Image source = image_of({width, 2}, formula);
      Image gray = source;
      to_grayscale(gray.view());
      const auto expected = [&](int x, int y, int) { return gray_of(source.view().pixel(x, y)); };
      REQUIRE(equal(gray, image_of({width, 2}, expected)));
    }
  });
}

}  // namespace leat::test
