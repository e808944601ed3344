#include "leat/transfer/normalize.h"

#include <fmt/format.h>

#include <cmath>

#include "leat/datasets/errors.h"

namespace leat {

std::array<float, 4> Normalization::scale() const noexcept {
  std::array<float, 4> scale{};
  for (std::size_t c = 0; c < scale.size(); ++c) scale[c] = static_cast<float>(1.0 / (255.0 * std[c]));
  return scale;
}

std::array<float, 4> Normalization::bias() const noexcept {
  std::array<float, 4> bias{};
  for (std::size_t c = 0; c < bias.size(); ++c) bias[c] = -mean[c] / std[c];
  return bias;
}

void Normalization::check(const PixelShape& shape) const {
  if (dtype != DType::f32 && dtype != DType::f16 && dtype != DType::bf16) {
    throw ArgumentError(fmt::format("normalizing gives f32, f16 or bf16, not {}", name_of(dtype)));
  }
  if (shape.c < 1 || shape.c > mean.size()) {
    throw ArgumentError(
        fmt::format("pixels have 1 to {} channels to be normalized, not {}", mean.size(), shape.c));
  }
  for (std::size_t c = 0; c < shape.c; ++c) {
    const bool usable = std::isfinite(mean[c]) && std::isfinite(std[c]) && std[c] > 0;
    if (!usable) {
      throw ArgumentError(fmt::format(
          "channel {} has mean {} and std {}; both must be finite, and std above zero", c, mean[c], std[c]));
    }
  }
}

}  // namespace leat
