#include "leat/datasets/image/codecs/jpeg_decoder.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/image/jpeg_files.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

constexpr Size kSize{123, 77};

Image decode(const Bytes& jpeg, const JpegLimits& limits = {}) {
  JpegDecoder decoder;
  const Size size = decoder.read_header(jpeg, limits);
  const ImageTile tile = decoder.decode({.rows = {0, size.height}, .columns = {0, size.width}});
  return image_of(size, [&](int x, int y, int c) { return tile.pixels.pixel(x, y)[c]; });
}

// The largest difference of any value from what `wanted(x, y, channel)` says.
template <class Function>
int largest_error(const Image& image, const Function& wanted) {
  int worst = 0;
  for (int y = 0; y < image.size().height; ++y) {
    for (int x = 0; x < image.size().width; ++x) {
      for (int c = 0; c < kChannels; ++c)
        worst = std::max(worst, std::abs(image.view().pixel(x, y)[c] - wanted(x, y, c)));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("an image survives encoding at quality 100 nearly unchanged") {
  const Bytes jpeg = encode_jpeg(image_of(kSize, ramp).view(), {100, ChromaSampling::full});
  const Image image = decode(jpeg);
  REQUIRE(image.size() == kSize);
  CHECK(largest_error(image, ramp) <= 3);
  const Bytes half = encode_jpeg(image_of(kSize, ramp).view(), {100, ChromaSampling::half});
  CHECK(half.size() < jpeg.size());
  CHECK(largest_error(decode(half), ramp) <= 6);
}

TEST_CASE("any rows of an image have the bytes that they have in the whole") {
  const Bytes jpeg = encode_jpeg(image_of(kSize, formula).view());
  const Image whole = decode(jpeg);
  JpegDecoder decoder;
  for (const PixelRange rows :
       {PixelRange{0, 1}, PixelRange{16, 33}, PixelRange{15, 47}, PixelRange{76, 77}}) {
    decoder.read_header(jpeg);
    const ImageTile tile = decoder.decode({.rows = rows, .columns = {0, kSize.width}});
    REQUIRE(tile.top == rows.first);
    REQUIRE(tile.pixels.size == Size{kSize.width, rows.size()});
    for (int y = rows.first; y < rows.last; ++y) {
      REQUIRE(std::equal(whole.view().row(y), whole.view().row(y) + whole.view().row_bytes(),
                         tile.pixels.row(y - rows.first)));
    }
  }
}

TEST_CASE("grayscale becomes RGB") {
  CHECK(largest_error(decode(gray_jpeg({20, 10}, 93)), [](int, int, int) { return 93; }) == 0);
}

TEST_CASE("CMYK and YCCK become RGB: stored values are inverted") {
  // No ink at all is white; a full black plate is black.
  CHECK(largest_error(decode(cmyk_jpeg({9, 9}, {255, 255, 255, 255}, false)),
                      [](int, int, int) { return 255; }) <= 1);
  CHECK(largest_error(decode(cmyk_jpeg({9, 9}, {255, 255, 255, 0}, false)),
                      [](int, int, int) { return 0; }) <= 1);
  const int light[] = {200, 100, 50};
  const auto product = [&](int, int, int c) { return light[c] * 128 / 255; };
  CHECK(largest_error(decode(cmyk_jpeg({9, 9}, {200, 100, 50, 128}, false)), product) <= 2);
  CHECK(largest_error(decode(cmyk_jpeg({9, 9}, {200, 100, 50, 128}, true)), product) <= 3);
}

TEST_CASE("progressive files decode to the bytes of baseline ones") {
  const Image source = image_of(kSize, formula);
  const Image baseline = decode(many_scan_jpeg(source, 0)), progressive = decode(progressive_jpeg(source));
  CHECK(largest_error(progressive, [&](int x, int y, int c) { return baseline.view().pixel(x, y)[c]; }) == 0);
}

TEST_CASE("one decoder serves many images, also after one that failed or was left") {
  const Bytes jpeg = encode_jpeg(image_of(kSize, ramp).view(), {100, ChromaSampling::full});
  const Bytes small = gray_jpeg({5, 4}, 10);
  Bytes damaged = jpeg;
  std::fill(damaged.begin() + std::ptrdiff_t(damaged.size() / 2), damaged.end() - 2, std::byte{0xff});
  JpegDecoder decoder;
  for (int round = 0; round < 3; ++round) {
    CHECK(decoder.read_header(small) == Size{5, 4});
    CHECK(decoder.decode({.rows = {1, 3}, .columns = {0, 5}}).pixels.row(0)[0] == 10);
    decoder.read_header(damaged);
    CHECK_THROWS_AS(decoder.decode({.rows = {0, kSize.height}, .columns = {0, kSize.width}}), DataError);
    decoder.read_header(jpeg);  // and left
    decoder.read_header(jpeg);
    const ImageTile tile = decoder.decode({.rows = {40, 41}, .columns = {0, kSize.width}});
    CHECK(std::abs(tile.pixels.pixel(100, 0)[0] - 100) <= 3);
  }
}

TEST_CASE("rows that are not there, or asked for out of turn, are refused") {
  const Bytes jpeg = gray_jpeg({20, 10}, 1);
  JpegDecoder decoder;
  expect_error<ArgumentError>([&] { decoder.decode({.rows = {0, 1}, .columns = {0, 20}}); }, {"read_header"});
  for (const PixelRange rows : {PixelRange{-1, 5}, PixelRange{0, 11}, PixelRange{5, 5}}) {
    decoder.read_header(jpeg);
    expect_error<ArgumentError>(
        [&] {
          decoder.decode({.rows = rows, .columns = {0, 20}});
        },
        {"of an image of 20 x 10"});
  }
  decoder.decode({.rows = {0, 10}, .columns = {0, 20}});
  expect_error<ArgumentError>([&] { decoder.decode({.rows = {0, 1}, .columns = {0, 20}}); }, {"once"});
}

TEST_CASE("the encoder refuses what a JPEG cannot be") {
  const Image image = image_of({4, 4}, ramp);
  expect_error<ArgumentError>([&] { encode_jpeg(image.view(), {.quality = 0}); }, {"quality 0"});
  expect_error<ArgumentError>([&] { encode_jpeg({nullptr, {0, 4}, 0}); }, {"0 x 4"});
  expect_error<ArgumentError>([&] { encode_jpeg({nullptr, {70000, 4}, 0}); }, {"70000 x 4", "65500"});
}

}  // namespace leat::test
