#include "leat/datasets/image/codecs/cmyk.h"

namespace leat::detail {

namespace {

// a * b / 255, rounded to nearest. Exact for a and b up to 255.
int multiply_255(int a, int b) noexcept {
  const int product = a * b + 128;
  return ((product >> 8) + product) >> 8;
}

}  // namespace

void inverted_cmyk_to_rgb(const std::uint8_t* cmyk, std::uint8_t* rgb, std::size_t pixels) noexcept {
  for (; pixels > 0; --pixels, cmyk += 4, rgb += 3) {
    const int light = cmyk[3];
    for (int i = 0; i < 3; ++i)
      rgb[i] = static_cast<std::uint8_t>(light - multiply_255(255 - cmyk[i], light));
  }
}

}  // namespace leat::detail
