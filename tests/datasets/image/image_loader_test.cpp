#include "datasets/image/image_loader.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>

#include "datasets/image/jpeg_encoder.h"
#include "loader/base/errors.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/support/expect_error.h"

namespace leat::test {

namespace {

Image load(std::span<const std::byte> jpeg, const TransformPipeline& transforms, Size size) {
  Image out(size);
  Rng rng(1, 1, 1);
  ImageLoader::of_this_thread().load(jpeg, transforms, {}, rng, out.view());
  return out;
}

}  // namespace

TEST_CASE("a loaded picture is what the transforms make of it") {
  const auto jpeg = encode_jpeg(image_of({200, 120}, ramp).view(), {100, ChromaSampling::full});
  const Image image = load(jpeg, Resize{60} | CenterCrop{40} | RandomHorizontalFlip{1}, {40, 40});
  // Resize halves; the crop starts at (30, 10); output x shows column 39 - x of it, the mean of two source
  // columns.
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 40; ++x) {
      const std::uint8_t* pixel = image.view().pixel(x, y);
      REQUIRE(std::abs(pixel[0] - (2 * (30 + 39 - x))) <= 4);
      REQUIRE(std::abs(pixel[1] - (2 * (10 + y))) <= 4);
    }
  }
}

TEST_CASE("a row of the wrong size is refused") {
  const auto jpeg = encode_jpeg(image_of({200, 120}, ramp).view());
  expect_error<ArgumentError>([&] { load(jpeg, CenterCrop{40}, {40, 41}); }, {"40 x 41", "40 x 40"});
}

}  // namespace leat::test
