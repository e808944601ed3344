// Parts of an image, decoded alone, against the same parts of the whole.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/codecs/jpeg_decoder.h"
#include "leat/datasets/rng.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/image/jpeg_files.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

Image whole(const Bytes& jpeg, int reduction) {
  JpegDecoder decoder;
  decoder.read_header(jpeg);
  const Size size = decoder.size(reduction);
  const ImageTile tile = decoder.decode({{0, size.height}, {0, size.width}, reduction});
  return image_of(size, [&](int x, int y, int c) { return tile.pixels.pixel(x, y)[c]; });
}

// The first row that differs; none: the number of rows.
int first_difference(const Image& all, const ImageTile& tile) {
  const std::size_t bytes = tile.pixels.row_bytes();
  for (int y = 0; y < tile.pixels.size.height; ++y) {
    const std::uint8_t* wanted = all.view().pixel(tile.left, tile.top + y);
    if (!std::equal(wanted, wanted + bytes, tile.pixels.row(y))) return y;
  }
  return tile.pixels.size.height;
}

void check_region(JpegDecoder& decoder, const Bytes& jpeg, const Image& all, const JpegRegion& region) {
  INFO("rows [" << region.rows.first << ", " << region.rows.last << "), columns [" << region.columns.first
                << ", " << region.columns.last << ") of " << to_string(all.size()) << " at 1/"
                << region.reduction);
  decoder.read_header(jpeg);
  const ImageTile tile = decoder.decode(region);
  REQUIRE(tile.pixels.size == Size{region.columns.size(), region.rows.size()});
  REQUIRE((tile.left == region.columns.first && tile.top == region.rows.first));
  REQUIRE(first_difference(all, tile) == region.rows.size());
}

PixelRange any_range(int size, Rng& rng) {
  const auto length = 1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(size)));
  const auto first = static_cast<int>(rng.below(static_cast<std::uint64_t>(size - length) + 1));
  return {first, first + length};
}

constexpr std::uint64_t kSeed = 41;

void check_regions(const Bytes& jpeg, int count) {
  JpegDecoder decoder;
  Rng rng(kSeed, 0, jpeg.size());
  INFO("seed " << kSeed);
  for (const int reduction : {1, 2, 4, 8}) {
    const Image all = whole(jpeg, reduction);
    const Size size = all.size();
    const PixelRange all_rows{0, size.height}, all_columns{0, size.width};
    check_region(decoder, jpeg, all, {all_rows, {0, 1}, reduction});
    check_region(decoder, jpeg, all, {all_rows, {size.width - 1, size.width}, reduction});
    check_region(decoder, jpeg, all, {{size.height - 1, size.height}, all_columns, reduction});
    for (int i = 0; i < count; ++i) {
      check_region(decoder, jpeg, all, {any_range(size.height, rng), any_range(size.width, rng), reduction});
    }
  }
}

constexpr Size kSizes[] = {{123, 77}, {64, 64}, {17, 150}, {3, 5}, {1, 40}, {130, 1}, {96, 33}};

}  // namespace

TEST_CASE("any part of an image has the bytes that it has in the whole, however its colors are sampled") {
  for (const Size size : kSizes) {
    const Image image = image_of(size, formula);
    for (const Sampling sampling : {Sampling{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}, {4, 2}}) {
      INFO("luma sampled " << sampling.horizontal << " x " << sampling.vertical);
      check_regions(sampled_jpeg(image, sampling), 30);
    }
  }
}

TEST_CASE("any part of a gray or four-color image has the bytes that it has in the whole") {
  for (const Size size : kSizes) {
    const Image image = image_of(size, formula);
    check_regions(gray_jpeg(image), 30);
    check_regions(cmyk_jpeg(image, false), 30);
    check_regions(cmyk_jpeg(image, true), 30);
  }
}

TEST_CASE("any part of a progressive, arithmetic or many-scan image has the bytes that it has in the whole") {
  for (const Size size : kSizes) {
    const Image image = image_of(size, formula);
    check_regions(progressive_jpeg(image), 20);
    check_regions(arithmetic_jpeg(image, false), 20);
    check_regions(arithmetic_jpeg(image, true), 20);
    check_regions(many_scan_jpeg(image, 0), 20);
    check_regions(restarting_jpeg(image, 3), 20);
  }
}

TEST_CASE("a progressive image that lacks coefficients is smoothed the same in parts and in the whole") {
  check_regions(coarse_progressive_jpeg(image_of({123, 77}, formula)), 60);
  check_regions(coarse_progressive_jpeg(image_of({223, 177}, ramp)), 60);
}

TEST_CASE("a reduced image is about the mean of the pixels that each of its pixels stands for") {
  const Image reduced = whole(sampled_jpeg(image_of({128, 96}, ramp), {1, 1}), 4);
  REQUIRE(reduced.size() == Size{32, 24});
  for (int y = 0; y < 24; ++y) {
    for (int x = 0; x < 32; ++x) {
      const std::uint8_t* pixel = reduced.view().pixel(x, y);
      REQUIRE(std::abs(pixel[0] - (4 * x + 2)) <= 3);
      REQUIRE(std::abs(pixel[1] - (4 * y + 2)) <= 3);
    }
  }
}

TEST_CASE("reduced extents are rounded up, and only halves, quarters and eighths are made") {
  const Bytes jpeg = gray_jpeg({17, 9}, 5);
  JpegDecoder decoder;
  decoder.read_header(jpeg);
  CHECK(decoder.size(2) == Size{9, 5});
  CHECK(decoder.size(8) == Size{3, 2});
  for (const int reduction : {0, 3, 16, -1}) {
    expect_error<ArgumentError>([&] { decoder.size(reduction); }, {"1/" + std::to_string(reduction)});
  }
}

}  // namespace leat::test
