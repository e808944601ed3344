// Conversion to grayscale.
#pragma once

#include "leat/datasets/image/image.h"

namespace leat::detail {

// A pixel's gray value according to ITU-R 601, in Pillow's fixed point, rounded to nearest.
constexpr std::uint8_t gray_of(const std::uint8_t* rgb) noexcept {
  return static_cast<std::uint8_t>((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16);
}

// Sets all three channels to the pixel's gray value.
void to_grayscale(MutableImageView pixels);

}  // namespace leat::detail
