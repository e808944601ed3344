#include "leat/datasets/image/pixels/blend.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/pixels/kernels.h"
#include "leat/datasets/image/pixels/rows.h"

namespace leat::detail {

namespace {

float checked(double factor) {
  const auto alpha = static_cast<float>(factor);
  if (!std::isfinite(alpha)) throw ArgumentError(fmt::format("an image cannot be blended by {}", factor));
  return alpha;
}

void blend_with(MutableImageView pixels, std::uint8_t plain, float factor) {
  for_each_run(pixels, [&](std::uint8_t* bytes, std::size_t count) {
    kernels::blend_with_constant(bytes, count, plain, factor);
  });
}

std::uint8_t mean_gray(ImageView pixels) {
  const std::int64_t count = std::int64_t{pixels.size.width} * pixels.size.height;
  if (count == 0) return 0;
  std::uint64_t sum = 0;
  for_each_run(pixels,
               [&](const std::uint8_t* rgb, std::size_t bytes) { sum += kernels::sum_of_grays(rgb, bytes); });
  return static_cast<std::uint8_t>(std::floor(static_cast<double>(sum) / static_cast<double>(count) + 0.5));
}

}  // namespace

void adjust_brightness(MutableImageView pixels, double factor) {
  blend_with(pixels, 0, checked(factor));
}

void adjust_contrast(MutableImageView pixels, double factor) {
  const float checked_factor = checked(factor);
  blend_with(pixels, mean_gray(pixels), checked_factor);
}

void adjust_saturation(MutableImageView pixels, double factor) {
  for_each_run(pixels, [by = checked(factor)](std::uint8_t* rgb, std::size_t count) {
    kernels::blend_with_gray(rgb, count, by);
  });
}

void adjust_sharpness(MutableImageView pixels, double factor, Image& scratch) {
  const float checked_factor = checked(factor);
  const auto [width, height] = pixels.size;
  if (width < 3 || height < 3) return;
  const std::size_t bytes = pixels.row_bytes();
  scratch.resize({width, 2});  // copies of the original rows
  std::uint8_t* above = scratch.view().row(0);
  std::uint8_t* here = scratch.view().row(1);
  std::memcpy(above, pixels.row(0), bytes);
  for (int y = 1; y < height - 1; ++y, std::swap(above, here)) {
    std::memcpy(here, pixels.row(y), bytes);
    kernels::sharpen_row({above, here, pixels.row(y + 1)}, pixels.row(y), bytes, checked_factor);
  }
}

}  // namespace leat::detail
