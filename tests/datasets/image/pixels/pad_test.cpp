#include "datasets/image/pixels/pad.h"

#include <string>

#include "loader/base/errors.h"
#include "tests/datasets/image/image_hash.h"
#include "tests/datasets/image/pixels/pixel_pictures.h"
#include "tests/support/expect_error.h"

namespace leat::test {

namespace {

constexpr Rgb kFill{1, 2, 3};

struct Golden {
  PaddingMode mode;
  std::uint64_t checksum;
};

// Pillow 9.4, ImageOps.expand(picture, (30, 5, 2, 20), (1, 2, 3)), and numpy.pad of the same borders.
constexpr Golden kGolden[] = {
    {PaddingMode::constant, 0x61c2505d9e18a8b2},
    {PaddingMode::edge, 0xf48411acb12d0704},
    {PaddingMode::reflect, 0x42017c51fdf879f7},
    {PaddingMode::symmetric, 0x9e04d7ada502e426},
};

// The pixels a, b, c ... of `count` columns or rows, with borders: "a" is red 'a'.
std::string padded(int count, int before, int after, PaddingMode mode, bool vertical) {
  const auto size_of = [&](int pixels) { return vertical ? Size{1, pixels} : Size{pixels, 1}; };
  const Image from = image_of(size_of(count), [](int x, int y, int) { return 'a' + x + y; });
  Image to(size_of(before + count + after));
  pad(from.view(), to.view(), vertical ? 0 : before, vertical ? before : 0, mode, {'.', '.', '.'});
  std::string text;
  for (int i = 0; i < before + count + after; ++i)
    text += static_cast<char>(pixel_at(to, vertical ? 0 : i, vertical ? i : 0).blue);
  return text;
}

}  // namespace

TEST_CASE("padded pictures are the bytes of Pillow and numpy") {
  const Image source = golden_source();
  for (const Golden& golden : kGolden) {
    INFO("mode " << static_cast<int>(golden.mode));
    Image to({30 + 37 + 2, 5 + 23 + 20});
    GappyImage gappy_source(source.view(), 5), gappy(to.view(), 7);
    pad(source.view(), to.view(), 30, 5, golden.mode, kFill);
    pad(gappy_source.view(), gappy.view(), 30, 5, golden.mode, kFill);
    CHECK(fnv1a(to) == golden.checksum);
    CHECK(fnv1a(gappy.view()) == golden.checksum);
    CHECK(gappy.gaps_are_untouched());
  }
}

TEST_CASE("borders continue the picture in each mode, in both directions") {
  for (const bool vertical : {false, true}) {
    CHECK(padded(3, 2, 4, PaddingMode::constant, vertical) == "..abc....");
    CHECK(padded(3, 2, 4, PaddingMode::edge, vertical) == "aaabccccc");
    CHECK(padded(3, 2, 2, PaddingMode::reflect, vertical) == "cbabcba");
    CHECK(padded(3, 3, 3, PaddingMode::symmetric, vertical) == "cbaabccba");
    CHECK(padded(3, 0, 0, PaddingMode::reflect, vertical) == "abc");
  }
}

TEST_CASE("borders wider than the picture mirror it again and again") {
  for (const bool vertical : {false, true}) {
    CHECK(padded(3, 9, 9, PaddingMode::reflect, vertical) == "babcbabcbabcbabcbabcb");
    CHECK(padded(2, 5, 6, PaddingMode::symmetric, vertical) == "aabbaabbaabba");
    CHECK(padded(1, 3, 2, PaddingMode::reflect, vertical) == "aaaaaa");
    CHECK(padded(1, 3, 2, PaddingMode::symmetric, vertical) == "aaaaaa");
  }
}

TEST_CASE("a picture has to fit into the padded one") {
  const Image from({4, 3}), none({0, 3});
  Image to({6, 5});
  const auto pad_at = [&](const Image& source, int left, int top, PaddingMode mode) {
    pad(source.view(), to.view(), left, top, mode, kFill);
  };
  expect_error<ArgumentError>([&] { pad_at(from, 3, 0, PaddingMode::edge); }, {"4 x 3", "(3, 0)", "6 x 5"});
  expect_error<ArgumentError>([&] { pad_at(from, 0, 3, PaddingMode::edge); }, {"(0, 3)"});
  expect_error<ArgumentError>([&] { pad_at(from, -1, 0, PaddingMode::edge); }, {"(-1, 0)"});
  expect_error<ArgumentError>([&] { pad_at(none, 0, 0, PaddingMode::reflect); }, {"no pixels"});
  pad_at(none, 1, 1, PaddingMode::constant);
  CHECK(equal(to, image_of({6, 5}, [](int, int, int c) { return c + 1; })));
}

}  // namespace leat::test
