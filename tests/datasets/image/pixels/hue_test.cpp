#include "leat/datasets/image/pixels/hue.h"

#include <algorithm>
#include <cmath>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/pixels/kernels.h"
#include "tests/datasets/image/every_target.h"
#include "tests/datasets/image/image_hash.h"
#include "tests/datasets/image/pixels/pixel_images.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

struct Golden {
  double shift;
  std::uint64_t checksum;
};

// Pillow 9.4: convert("HSV"), the hues + int(shift * 255) modulo 256, merge, convert("RGB").
constexpr Golden kGolden[] = {
    {0, 0x9403bf574a3ef48a},   {0.1, 0x9cd40315b6e28209},  {-0.25, 0xe4ab149429f1c3d2},
    {0.5, 0x337ba2bac385ce5e}, {-0.5, 0xddb16e4fc5f63d91},
};

// The conversions one by one, in double and float by turns as Pillow computes them.
struct Hsv {
  int hue, saturation, value;
};

Hsv to_hsv(Rgb c) {
  const int most = std::max({c.red, c.green, c.blue}), least = std::min({c.red, c.green, c.blue});
  if (least == most) return {0, 0, most};
  const auto range = static_cast<float>(most - least);
  const auto distance = [&](int channel) { return static_cast<float>(most - channel) / range; };
  const float r = distance(c.red), g = distance(c.green), b = distance(c.blue);
  const float sixths = c.red == most     ? b - g
                       : c.green == most ? static_cast<float>(2.0 + r - b)
                                         : static_cast<float>(4.0 + g - r);
  const auto hue = static_cast<float>(std::fmod(sixths / 6.0 + 1.0, 1.0));
  return {static_cast<int>(hue * 255.0), static_cast<int>(range / static_cast<float>(most) * 255.0), most};
}

Rgb to_rgb(Hsv hsv) {
  const double sixths = hsv.hue * 6.0 / 255.0;
  const int sector = static_cast<int>(sixths) % 6;
  const auto part = static_cast<float>(sixths - static_cast<int>(sixths));
  const auto saturation = static_cast<float>(hsv.saturation / 255.0);
  const auto byte = [&](double share) { return static_cast<std::uint8_t>(std::round(hsv.value * share)); };
  const std::uint8_t v = byte(1), p = byte(1.0 - saturation), q = byte(1.0 - saturation * part),
                     t = byte(1.0 - saturation * (1.0 - part));
  const Rgb by_sector[] = {{v, t, p}, {q, v, p}, {p, v, t}, {p, q, v}, {t, p, v}, {v, p, q}};
  return by_sector[sector];
}

// How many of the colors whose channels are multiples of `step` turn to another one than by that arithmetic.
int differing_colors(int step, std::uint8_t shift) {
  int differing = 0;
  const int width = 255 / step + 1;
  for (int red = 0; red < 256; red += step) {
    const auto color = [&](int x, int y, int c) { return c == 0 ? red : step * (c == 1 ? x : y); };
    const Image before = image_of({width, width}, color);
    Image after = before;
    kernels::turn_hues(after.view().data, after.view().row_bytes() * std::size_t(width), shift);
    for (int y = 0; y < width; ++y) {
      for (int x = 0; x < width; ++x) {
        Hsv hsv = to_hsv(pixel_at(before, x, y));
        hsv.hue = (hsv.hue + shift) % 256;
        if (pixel_at(after, x, y) != to_rgb(hsv)) ++differing;
      }
    }
  }
  return differing;
}

}  // namespace

TEST_CASE("turned hues are the bytes of Pillow's conversions on every instruction set") {
  on_every_target([] {
    for (const Golden& golden : kGolden) {
      Image image = golden_source();
      GappyImage gappy(image.view(), 7);
      adjust_hue(image.view(), golden.shift);
      adjust_hue(gappy.view(), golden.shift);
      INFO("shift " << golden.shift);
      CHECK(fnv1a(image) == golden.checksum);
      CHECK(fnv1a(gappy.view()) == golden.checksum);
      CHECK(gappy.gaps_are_untouched());
    }
  });
}

TEST_CASE("hues move along the circle by 255 steps") {
  Image image = row_of({{255, 0, 0}, {200, 200, 200}, {0, 0, 0}});
  adjust_hue(image.view(), 1.0 / 3);  // by 85 steps, a third of the circle
  CHECK(pixel_at(image, 0, 0) == Rgb{0, 255, 0});
  CHECK(pixel_at(image, 1, 0) == Rgb{200, 200, 200});
  CHECK(pixel_at(image, 2, 0) == Rgb{0, 0, 0});
  adjust_hue(image.view(), -0.5);  // back by 127 of 256 steps, from 85 to 214: just behind magenta
  CHECK(pixel_at(image, 0, 0) == Rgb{255, 0, 246});
}

TEST_CASE("hues of colors from all over the cube are those of Pillow's arithmetic") {
  on_every_target([] {
    for (int shift = 0; shift < 256; shift += 51)
      CHECK(differing_colors(17, static_cast<std::uint8_t>(shift)) == 0);
    CHECK(differing_colors(13, 77) == 0);
  });
}

TEST_CASE("all colors turn, and all hues, by Pillow's arithmetic", "[slow]") {
  CHECK(differing_colors(1, 0) == 0);
  for (int shift = 0; shift < 256; ++shift)
    CHECK(differing_colors(15, static_cast<std::uint8_t>(shift)) == 0);
}

TEST_CASE("hues are not moved by more than half a turn") {
  Image image = golden_source(), none;
  adjust_hue(none.view(), 0.5);
  for (const double shift : {0.51, -0.51, std::nan("")})
    expect_error<ArgumentError>([&] { adjust_hue(image.view(), shift); }, {"-0.5 to 0.5"});
}

}  // namespace leat::test
