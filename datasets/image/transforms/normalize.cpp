#include "leat/datasets/image/transforms/normalize.h"

#include <fmt/format.h>

#include <cmath>

#include "leat/datasets/errors.h"

namespace leat {

Normalize::Normalize(const std::array<float, 3>& mean, const std::array<float, 3>& std) : scale_{} {
  for (std::size_t c = 0; c < mean.size(); ++c) {
    if (!(std::isfinite(mean[c]) && std::isfinite(std[c]) && std[c] > 0)) {
      throw ArgumentError(
          fmt::format("Normalize: channel {} has mean {} and std {}; both are finite, and std above zero", c,
                      mean[c], std[c]));
    }
    scale_.scale[c] = static_cast<float>(1.0 / (255.0 * std[c]));
    scale_.bias[c] = -mean[c] / std[c];
  }
}

}  // namespace leat
