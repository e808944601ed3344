// Small images for the tests of what changes pixels.
#pragma once

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <initializer_list>
#include <vector>

#include "leat/datasets/image/image.h"
#include "tests/datasets/image/formula_image.h"

namespace leat::test {

using namespace leat::detail;

// Of golden checksums: Image.fromarray of this formula, 37 x 23, made with Pillow 9.4.
inline constexpr Size kGoldenSize{37, 23};

inline Image golden_source() {
  return image_of(kGoldenSize, formula);
}

// Dark to bright, in few values: 20 to 128 in red, to 86 in green, to 107 in blue.
inline Image calm_source() {
  return image_of(kGoldenSize, [](int x, int y, int c) { return 3 * ramp(x, y, c) + 20; });
}

// One row.
inline Image row_of(std::initializer_list<Rgb> pixels) {
  Image image({static_cast<int>(pixels.size()), 1});
  int x = 0;
  for (const Rgb& pixel : pixels) fill_run(image.view().pixel(x++, 0), 1, pixel);
  return image;
}

inline Rgb pixel_at(const Image& image, int x, int y) {
  const ImageView view = image.view();
  const std::uint8_t* pixel = view.pixel(x, y);
  return {pixel[0], pixel[1], pixel[2]};
}

// An image whose rows have a gap between them, which nobody may write to.
class GappyImage {
 public:
  GappyImage(ImageView image, std::size_t gap)
      : size_(image.size),
        stride_(image.row_bytes() + gap),
        bytes_(stride_ * std::size_t(size_.height), kGap) {
    for (int y = 0; y < size_.height; ++y) std::copy_n(image.row(y), image.row_bytes(), view().row(y));
  }

  MutableImageView view() { return {bytes_.data(), size_, static_cast<std::ptrdiff_t>(stride_)}; }

  bool gaps_are_untouched() {
    for (int y = 0; y < size_.height; ++y) {
      const std::uint8_t* row = view().row(y);
      if (!std::all_of(row + view().row_bytes(), row + stride_, [](auto byte) { return byte == kGap; }))
        return false;
    }
    return true;
  }

 private:
  static constexpr std::uint8_t kGap = 0xa5;

  Size size_;
  std::size_t stride_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace leat::test
