#include "datasets/image/pixels/hue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "loader/base/errors.h"

namespace leat {

namespace {

struct Hsv {
  std::uint8_t hue, saturation, value;
};

Hsv to_hsv(const std::uint8_t* rgb) noexcept {
  const int r = rgb[0], g = rgb[1], b = rgb[2];
  const int most = std::max({r, g, b}), least = std::min({r, g, b});
  const auto value = static_cast<std::uint8_t>(most);
  if (least == most) return {0, 0, value};
  const auto range = static_cast<float>(most - least);
  const float red = static_cast<float>(most - r) / range, green = static_cast<float>(most - g) / range,
              blue = static_cast<float>(most - b) / range;
  float h = 0;
  if (r == most) {
    h = blue - green;
  } else if (g == most) {
    h = static_cast<float>(2.0 + red - blue);
  } else {
    h = static_cast<float>(4.0 + green - red);
  }
  h = static_cast<float>(std::fmod(h / 6.0 + 1.0, 1.0));
  const float s = range / static_cast<float>(most);
  return {static_cast<std::uint8_t>(h * 255.0), static_cast<std::uint8_t>(s * 255.0), value};
}

void to_rgb(Hsv hsv, std::uint8_t* rgb) noexcept {
  const double sixths = hsv.hue * 6.0 / 255.0;
  const int sector = static_cast<int>(sixths);
  const auto f = static_cast<float>(sixths - sector), s = static_cast<float>(hsv.saturation / 255.0);
  const auto round = [&](double share) {
    return static_cast<std::uint8_t>(std::round(static_cast<double>(hsv.value) * share));
  };
  const std::uint8_t v = hsv.value, p = round(1.0 - s), q = round(1.0 - s * f),
                     t = round(1.0 - s * (1.0 - f));
  const auto set = [&](std::uint8_t r, std::uint8_t g, std::uint8_t b) {
    rgb[0] = r, rgb[1] = g, rgb[2] = b;
  };
  switch (sector % 6) {
    case 0:
      return set(v, t, p);
    case 1:
      return set(q, v, p);
    case 2:
      return set(p, v, t);
    case 3:
      return set(p, q, v);
    case 4:
      return set(t, p, v);
    default:
      return set(v, p, q);
  }
}

}  // namespace

void adjust_hue(MutableImageView pixels, double shift) {
  if (!(shift >= -0.5 && shift <= 0.5)) {
    throw ArgumentError(fmt::format("hues can be moved by -0.5 to 0.5 turns, not by {}", shift));
  }
  const int moved = static_cast<int>(shift * 255);
  for (int y = 0; y < pixels.size.height; ++y) {
    for (int x = 0; x < pixels.size.width; ++x) {
      Hsv hsv = to_hsv(pixels.pixel(x, y));
      hsv.hue = static_cast<std::uint8_t>(hsv.hue + moved);
      to_rgb(hsv, pixels.pixel(x, y));
    }
  }
}

}  // namespace leat
