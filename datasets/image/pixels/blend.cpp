#include "datasets/image/pixels/blend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "datasets/image/pixels/grayscale.h"
#include "loader/base/errors.h"

namespace leat {

namespace {

float checked(double factor) {
  const auto alpha = static_cast<float>(factor);
  if (!std::isfinite(alpha)) throw ArgumentError(fmt::format("a picture cannot be blended by {}", factor));
  return alpha;
}

std::uint8_t blend(int plain, int byte, float alpha) noexcept {
  const float sum = static_cast<float>(plain) + alpha * static_cast<float>(byte - plain);
  return static_cast<std::uint8_t>(std::clamp(sum, 0.0F, 255.0F));
}

void blend_with(MutableImageView pixels, int plain, float alpha) noexcept {
  for (int y = 0; y < pixels.size.height; ++y) {
    std::uint8_t* row = pixels.row(y);
    for (std::size_t i = 0; i < pixels.row_bytes(); ++i) row[i] = blend(plain, row[i], alpha);
  }
}

int mean_gray(ImageView pixels) noexcept {
  std::int64_t sum = 0;
  for (int y = 0; y < pixels.size.height; ++y) {
    for (int x = 0; x < pixels.size.width; ++x) sum += gray_of(pixels.pixel(x, y));
  }
  const std::int64_t count = std::int64_t{pixels.size.width} * pixels.size.height;
  return count == 0 ? 0 : static_cast<int>(static_cast<double>(sum) / static_cast<double>(count) + 0.5);
}

}  // namespace

void adjust_brightness(MutableImageView pixels, double factor) {
  blend_with(pixels, 0, checked(factor));
}

void adjust_contrast(MutableImageView pixels, double factor) {
  blend_with(pixels, mean_gray(pixels), checked(factor));
}

void adjust_saturation(MutableImageView pixels, double factor) {
  const float alpha = checked(factor);
  for (int y = 0; y < pixels.size.height; ++y) {
    for (int x = 0; x < pixels.size.width; ++x) {
      std::uint8_t* pixel = pixels.pixel(x, y);
      const std::uint8_t gray = gray_of(pixel);
      for (int c = 0; c < kChannels; ++c) pixel[c] = blend(gray, pixel[c], alpha);
    }
  }
}

void adjust_sharpness(MutableImageView pixels, double factor, Image& scratch) {
  const float alpha = checked(factor);
  const auto [width, height] = pixels.size;
  if (width < 3 || height < 3) return;
  scratch.resize({width, 2});
  std::uint8_t* above = scratch.view().row(0);
  std::uint8_t* here = scratch.view().row(1);
  std::memcpy(above, pixels.row(0), pixels.row_bytes());
  for (int y = 1; y < height - 1; ++y, std::swap(above, here)) {
    std::uint8_t* out = pixels.row(y);
    const std::uint8_t* below = pixels.row(y + 1);
    std::memcpy(here, out, pixels.row_bytes());
    for (std::size_t i = 3; i < pixels.row_bytes() - 3; ++i) {
      const int sum = above[i - 3] + above[i] + above[i + 3] + here[i - 3] + 5 * here[i] + here[i + 3] +
                      below[i - 3] + below[i] + below[i + 3];
      out[i] = blend((sum + 6) / 13, here[i], alpha);
    }
  }
}

}  // namespace leat
