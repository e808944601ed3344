#include "tools/synthetic/painter.h"

#include <algorithm>

#include "tools/synthetic/noise.h"

namespace leat::tools {

namespace {

constexpr std::int64_t kCell = 65536;  // lattice cell of FractalNoise

}  // namespace

Color mix(Color a, Color b, int share) noexcept {
  return {a.red + (b.red - a.red) * share / 256, a.green + (b.green - a.green) * share / 256,
          a.blue + (b.blue - a.blue) * share / 256};
}

Color lit(Color color, int light) noexcept {
  return {color.red * light / 256, color.green * light / 256, color.blue * light / 256};
}

Painter::Painter(Rng rng) : rng_(rng) {
  size_.width = between(400, 600);
  size_.height = between(400, 600);
  pixels_.resize(std::size_t(size_.width) * std::size_t(size_.height) * kChannels);
  row_.resize(std::size_t(size_.width));
}

int Painter::between(int low, int high) noexcept {
  return low + static_cast<int>(rng_.below(static_cast<std::uint64_t>(high - low) + 1));
}

bool Painter::chance(int percent) noexcept {
  return between(0, 99) < percent;
}

Color Painter::blend_of(std::initializer_list<Color> palette) noexcept {
  const int last = static_cast<int>(palette.size()) - 1;
  const Color first = palette.begin()[between(0, last)], second = palette.begin()[between(0, last)];
  const Color color = mix(first, second, between(0, 256));
  return {color.red + between(-12, 12), color.green + between(-12, 12), color.blue + between(-12, 12)};
}

void Painter::paint(int x, int y, Color color, int share) noexcept {
  if (x < 0 || y < 0 || x >= width() || y >= height()) return;
  std::int16_t* at = pixel(x, y);
  const Color mixed = mix({at[0], at[1], at[2]}, color, share);
  at[0] = static_cast<std::int16_t>(mixed.red);
  at[1] = static_cast<std::int16_t>(mixed.green);
  at[2] = static_cast<std::int16_t>(mixed.blue);
}

void Painter::gradient(int first_row, int last_row, Color top, Color bottom) noexcept {
  const int rows = std::max(1, last_row - first_row);
  for (int y = std::max(0, first_row); y < std::min(last_row, height()); ++y) {
    const Color color = mix(top, bottom, (y - first_row) * 256 / rows);
    for (int x = 0; x < width(); ++x) paint(x, y, color);
  }
}

void Painter::rectangle(int left, int top, int right, int bottom, Color color) noexcept {
  for (int y = std::max(0, top); y < std::min(bottom, height()); ++y) {
    for (int x = std::max(0, left); x < std::min(right, width()); ++x) paint(x, y, color);
  }
}

void Painter::disc(int x, int y, int radius, Color color) noexcept {
  for (int dy = -radius; dy <= radius; ++dy) {
    for (int dx = -radius; dx <= radius; ++dx) {
      if (dx * dx + dy * dy <= radius * radius) paint(x + dx, y + dy, color);
    }
  }
}

void Painter::glow(int x, int y, int radius, Color color, int share) noexcept {
  const int limit = radius * radius;
  for (int dy = std::max(-radius, -y); dy < std::min(radius, height() - y); ++dy) {
    for (int dx = std::max(-radius, -x); dx < std::min(radius, width() - x); ++dx) {
      const int distance = dx * dx + dy * dy;
      if (distance >= limit) continue;
      const std::int64_t left = limit - distance;
      paint(x + dx, y + dy, color, static_cast<int>(left * left / limit * share / limit));
    }
  }
}

void Painter::clouds(int last_row, Color color, int cover) {
  const FractalNoise noise(key(), 5);
  const int cell = between(80, 260), flatness = between(2, 5);
  for (int y = 0; y < std::min(last_row, height()); ++y) {
    std::ranges::fill(row_, (cover - 50) * 8);
    noise.add_row(0, kCell / cell, kCell * y * flatness / cell, 512, row_);
    for (int x = 0; x < width(); ++x) {
      const int density = std::clamp(row_[std::size_t(x)], 0, 256);
      if (density > 0) paint(x, y, color, density * 230 / 256);
    }
  }
}

Profile Painter::ridge(int row, int amplitude, int cell, int octaves) {
  Profile profile = level(row);
  FractalNoise(key(), octaves)
      .add_row(between(0, 1 << 20), kCell / std::max(1, cell), kCell / 2, amplitude, profile);
  return profile;
}

void Painter::fill_below(const Profile& profile, int last_row, Color top, Color bottom) {
  for (int y = std::max(0, std::ranges::min(profile)); y < std::min(last_row, height()); ++y) {
    for (int x = 0; x < width(); ++x) {
      const int first = profile[std::size_t(x)];
      if (y >= first) paint(x, y, mix(top, bottom, (y - first) * 256 / (last_row - first)));
    }
  }
}

void Painter::texture(const Profile& profile, int last_row, const Texture& texture) {
  const FractalNoise noise(key(), texture.octaves);
  for (int y = std::max(0, std::ranges::min(profile)); y < std::min(last_row, height()); ++y) {
    std::ranges::fill(row_, 256);
    noise.add_row(0, kCell / texture.cell_width, kCell * y / texture.cell_height, texture.strength, row_);
    light_row(profile, y, row_);
  }
}

void Painter::plane_texture(const Profile& profile, int horizon, int last_row, const Texture& texture) {
  const FractalNoise noise(key(), texture.octaves);
  // A plane in perspective: with d rows below the horizon, distances across grow as 1/d, and the depth is
  // proportional to 1/d.
  const std::int64_t depth = height() - horizon + 8;
  for (int y = std::max(0, horizon); y < std::min(last_row, height()); ++y) {
    const std::int64_t d = y - horizon + 8;
    std::ranges::fill(row_, 256);
    const std::int64_t across = kCell * depth / (texture.cell_width * d);
    noise.add_row(-across * width() / 2, across, kCell * depth * depth / (texture.cell_height * d),
                  texture.strength, row_);
    light_row(profile, y, row_);
  }
}

void Painter::light_row(const Profile& profile, int y, const std::vector<std::int32_t>& light) noexcept {
  std::int16_t* at = pixel(0, y);
  for (std::size_t x = 0; x < light.size(); ++x, at += kChannels) {
    if (y < profile[x]) continue;
    for (int c = 0; c < kChannels; ++c) at[c] = static_cast<std::int16_t>(at[c] * light[x] / 256);
  }
}

Image Painter::finish(int grain) {
  const Color cast{between(225, 285), between(235, 275), between(225, 285)};
  const int light = between(205, 290), vignette = between(0, 90);
  const std::uint32_t grain_key = key();
  Image image(size_);
  const int corner = width() * width() + height() * height();
  for (int y = 0; y < height(); ++y) {
    std::uint8_t* out = image.view().row(y);
    const std::int16_t* from = pixel(0, y);
    const int dy = 2 * y - height();
    for (int x = 0; x < width(); ++x, from += kChannels, out += kChannels) {
      const int dx = 2 * x - width();
      const int here = light * (256 - (dx * dx + dy * dy) / 64 * vignette / (corner / 64)) / 256;
      const std::uint32_t bits = hash32(grain_key, std::uint32_t(x), std::uint32_t(y));
      // The sum of four bytes, shifted around zero, is nearly normally distributed.
      const int sum = int(bits & 255) + int(bits >> 8 & 255) + int(bits >> 16 & 255) + int(bits >> 24) - 510;
      const int speck = sum * grain / 256;
      out[0] = static_cast<std::uint8_t>(std::clamp(from[0] * here / 256 * cast.red / 256 + speck, 0, 255));
      out[1] = static_cast<std::uint8_t>(std::clamp(from[1] * here / 256 * cast.green / 256 + speck, 0, 255));
      out[2] = static_cast<std::uint8_t>(std::clamp(from[2] * here / 256 * cast.blue / 256 + speck, 0, 255));
    }
  }
  return image;
}

}  // namespace leat::tools
