// Destination and format of an image's pixels.
#pragma once

#include <array>
#include <cstddef>
#include <variant>

#include "leat/datasets/image/image.h"
#include "leat/datasets/image/resample/resample_kernels.h"

namespace leat::detail {

// f32 [3, height, width], contiguous: plane after plane, each pixel scaled.
struct ScaledPlanes {
  float* data = nullptr;
  Size size;
  ChannelScale scale;

  std::size_t plane() const noexcept {
    return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  }
  std::array<float*, 3> row(int y) const noexcept {
    float* first = data + static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width);
    return {first, first + plane(), first + 2 * plane()};
  }
};

// RGB bytes without change, or scaled planes.
using PixelOutput = std::variant<MutableImageView, ScaledPlanes>;

inline Size size_of(const PixelOutput& out) noexcept {
  return std::visit([](const auto& pixels) { return pixels.size; }, out);
}

}  // namespace leat::detail
