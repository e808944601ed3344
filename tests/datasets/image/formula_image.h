// Images whose every pixel is arithmetic.
#pragma once

#include <cstdint>

#include "leat/datasets/image/image.h"

namespace leat::test {

using namespace leat::detail;

// Restless: neighbors differ by a lot, in all channels.
inline int formula(int x, int y, int channel) {
  return (x * 7 + y * 13 + channel * 50 + x * y * 3) & 255;
}

// Calm enough to survive JPEG: each channel is a plane.
inline int ramp(int x, int y, int channel) {
  return channel == 0 ? x : channel == 1 ? y : (x + y) / 2;
}

template <class Function>
Image image_of(Size size, const Function& value) {
  Image image(size);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      for (int c = 0; c < kChannels; ++c)
        image.view().pixel(x, y)[c] = static_cast<std::uint8_t>(value(x, y, c));
    }
  }
  return image;
}

}  // namespace leat::test
