/// \file
/// Sizes and colors of images.
#pragma once

#include <cstdint>
#include <string>

#include "leat/datasets/export.h"

namespace leat {

/// Number of channels of an image: red, green, blue.
inline constexpr int kChannels = 3;

/// Width and height of an image, in pixels.
struct LEAT_EXPORT Size {
  int width = 0;   ///< Pixels of a row.
  int height = 0;  ///< Number of rows.

  friend bool operator==(const Size&, const Size&) = default;
};

/// Returns "500 x 375": width, then height.
LEAT_EXPORT std::string to_string(const Size& size);

/// A color of 8 bits per channel.
struct LEAT_EXPORT Rgb {
  std::uint8_t red = 0;    ///< 0 to 255.
  std::uint8_t green = 0;  ///< 0 to 255.
  std::uint8_t blue = 0;   ///< 0 to 255.

  friend bool operator==(const Rgb&, const Rgb&) = default;
};

}  // namespace leat
