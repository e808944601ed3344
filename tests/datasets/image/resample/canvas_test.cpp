#include "leat/datasets/image/resample/canvas.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/rng.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

// The canvas of an image, painted; the geometry only crops and mirrors.
Image painted(Canvas canvas, const Image& source) {
  canvas.trim();
  const Geometry& geometry = canvas.geometry();
  const PixelRange columns = geometry.x().window, rows = geometry.y().window;
  const Image seen = image_of(geometry.output(), [&](int x, int y, int c) {
    const int from_x = geometry.flipped() ? columns.last - 1 - x : columns.first + x;
    const int from_y = geometry.flipped_vertically() ? rows.last - 1 - y : rows.first + y;
    return source.view().pixel(from_x, from_y)[c];
  });
  if (!canvas.is_bordered()) return seen;
  Image out(canvas.size());
  canvas.paint(seen.view(), out.view());
  return out;
}

// Letters of the first row; '.' is the fill.
std::string first_row(const Image& image) {
  std::string text;
  for (int x = 0; x < image.size().width; ++x) text += static_cast<char>(image.view().pixel(x, 0)[0]);
  return text;
}

Image letters(int count) {
  return image_of({count, 1}, [](int x, int, int) { return 'a' + x; });
}

std::string padded(int count, int left, int right, PaddingMode mode) {
  Canvas canvas({count, 1});
  canvas.pad({left, 0, right, 0}, mode, {'.', '.', '.'});
  return first_row(painted(canvas, letters(count)));
}

void check_equal(const Image& a, const Image& b) {
  REQUIRE(a.size() == b.size());
  for (int y = 0; y < a.size().height; ++y)
    REQUIRE(std::memcmp(a.view().row(y), b.view().row(y), a.view().row_bytes()) == 0);
}

Image part_of(const Image& whole, int left, int top, Size size) {
  return image_of(size, [&](int x, int y, int c) { return whole.view().pixel(left + x, top + y)[c]; });
}

constexpr Rgb kRed{250, 10, 20};

}  // namespace

TEST_CASE("borders are of one color, of the edge, or mirrored with or without the outermost pixel") {
  CHECK(padded(4, 2, 3, PaddingMode::constant) == "..abcd...");
  CHECK(padded(4, 2, 3, PaddingMode::edge) == "aaabcdddd");
  CHECK(padded(4, 2, 3, PaddingMode::reflect) == "cbabcdcba");
  CHECK(padded(4, 2, 3, PaddingMode::symmetric) == "baabcddcb");
}

TEST_CASE("a border wider than the image goes on mirroring") {
  CHECK(padded(3, 5, 5, PaddingMode::reflect) ==
        "babcb"
        "abc"
        "babcb");
  CHECK(padded(2, 5, 3, PaddingMode::symmetric) ==
        "aabba"
        "ab"
        "baa");
  CHECK(padded(1, 3, 2, PaddingMode::reflect) == "aaaaaa");
  CHECK(padded(1, 3, 2, PaddingMode::symmetric) == "aaaaaa");
}

TEST_CASE("all four borders are of the widths that were asked for, and the corners belong to them") {
  const Image source = image_of({3, 2}, formula);
  Canvas canvas({3, 2});
  canvas.pad({1, 2, 3, 4}, PaddingMode::constant, kRed);
  const Image out = painted(canvas, source);
  REQUIRE(out.size() == Size{7, 8});
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 7; ++x) {
      const bool inside = x >= 1 && x < 4 && y >= 2 && y < 4;
      const std::uint8_t* seen = out.view().pixel(x, y);
      const std::uint8_t red[] = {kRed.red, kRed.green, kRed.blue};
      REQUIRE(std::memcmp(seen, inside ? source.view().pixel(x - 1, y - 2) : red, 3) == 0);
    }
  }
}

TEST_CASE("a border around a border covers the inner one's corners") {
  Canvas canvas({1, 1});
  canvas.pad({1, 0}, PaddingMode::constant, {'-', '-', '-'});
  canvas.pad({0, 1}, PaddingMode::constant, {'|', '|', '|'});
  canvas.pad({1, 0}, PaddingMode::edge, {});
  const Image out = painted(canvas, letters(1));
  CHECK(first_row(out) == "|||||");
  CHECK(first_row(part_of(out, 0, 1, {5, 1})) == "--a--");
  CHECK(first_row(part_of(out, 0, 2, {5, 1})) == "|||||");
}

// Which of `count` pixels position `at` shows: mirrored as often as it takes. Nullopt: the fill.
std::optional<int> shown(int at, int count, PaddingMode mode) {
  if (mode == PaddingMode::edge) return std::clamp(at, 0, count - 1);
  const int repeated = mode == PaddingMode::symmetric ? 1 : 0;
  while (at < 0 || at >= count) {
    if (mode == PaddingMode::constant) return std::nullopt;
    at = at < 0 ? -repeated - at : 2 * (count - 1) + repeated - at;
  }
  return at;
}

Image bordered(const Image& source, const Padding& padding, PaddingMode mode) {
  return image_of(padding.around(source.size()), [&](int x, int y, int c) -> std::uint8_t {
    const auto from_x = shown(x - padding.left, source.size().width, mode);
    const auto from_y = shown(y - padding.top, source.size().height, mode);
    return from_x && from_y ? source.view().pixel(*from_x, *from_y)[c]
                            : (c == 0   ? kRed.red
                               : c == 1 ? kRed.green
                                        : kRed.blue);
  });
}

TEST_CASE("any crop of a bordered image is that part of it, mirrored or not") {
  const Image source = image_of({9, 7}, formula);
  const std::uint64_t seed = 31;
  INFO("seed " << seed);
  Rng rng(seed, 0, 0);
  const auto up_to = [&](int most) {
    return static_cast<int>(rng.below(static_cast<std::uint64_t>(most) + 1));
  };
  for (int round = 0; round < 400; ++round) {
    INFO("round " << round);
    const auto mode = static_cast<PaddingMode>(round % 4);
    const Padding padding(up_to(12), up_to(12), up_to(12), up_to(12));
    const Image whole = bordered(source, padding, mode);
    const Size size{1 + up_to(whole.size().width - 1), 1 + up_to(whole.size().height - 1)};
    const int left = up_to(whole.size().width - size.width), top = up_to(whole.size().height - size.height);
    Canvas canvas({9, 7});
    canvas.pad(padding, mode, kRed);
    canvas.crop(left, top, size);
    const Image part = part_of(whole, left, top, size);
    check_equal(painted(canvas, source), part);
    canvas.flip();
    canvas.flip_vertically();
    check_equal(painted(canvas, source), image_of(size, [&](int x, int y, int c) {
                  return part.view().pixel(size.width - 1 - x, size.height - 1 - y)[c];
                }));
  }
}

TEST_CASE("only what is seen is left in the geometry, and a border that is cropped away costs nothing") {
  Canvas canvas({100, 80});
  canvas.pad(10, PaddingMode::constant, kRed);
  canvas.crop(5, 4, {20, 30});
  canvas.trim();
  CHECK(canvas.is_bordered());
  CHECK(canvas.geometry().x().window == PixelRange{0, 15});
  CHECK(canvas.geometry().y().window == PixelRange{0, 24});
  CHECK(canvas.size() == Size{20, 30});

  Canvas inside({100, 80});
  inside.pad(10, PaddingMode::reflect, kRed);
  inside.flip();
  inside.crop(10, 14, {20, 30});
  inside.trim();
  CHECK_FALSE(inside.is_bordered());
  CHECK(inside.geometry().x().window == PixelRange{80, 100});
  CHECK(inside.geometry().y().window == PixelRange{4, 34});
  CHECK(inside.geometry().flipped());
}

TEST_CASE("a crop of nothing but border is of the fill") {
  Canvas canvas({3, 3});
  canvas.pad(5, PaddingMode::constant, {'.', '.', '.'});
  canvas.crop(0, 6, {4, 1});
  CHECK(first_row(painted(canvas, image_of({3, 3}, formula))) == "....");
}

TEST_CASE("a canvas refuses what its borders do not allow") {
  Canvas canvas({3, 3});
  canvas.pad(1, PaddingMode::constant, kRed);
  expect_error<ArgumentError>([&] { canvas.resize({8, 8}, Filter::bilinear); }, {"borders", "not resized"});
  expect_error<ArgumentError>([&] { canvas.crop(3, 0, {3, 3}); }, {"3 x 3", "(3, 0)", "5 x 5"});
  expect_error<ArgumentError>(
      [&] {
        canvas.pad({1 << 20, 0}, PaddingMode::edge, kRed);
      },
      {"1048576 + 5 + 1048576", "1048576 are the most"});
  CHECK(canvas.size() == Size{5, 5});
}

}  // namespace leat::test
