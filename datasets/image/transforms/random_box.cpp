#include "leat/datasets/image/transforms/random_box.h"

#include <cmath>

namespace leat::detail {

Edges random_edges(Size image, Interval scale, Interval log_ratio, Rng& rng) {
  const double area = double(image.width) * image.height * rng.uniform(scale.low, scale.high);
  const double ratio = std::exp(rng.uniform(log_ratio.low, log_ratio.high));
  return {std::nearbyint(std::sqrt(area * ratio)), std::nearbyint(std::sqrt(area / ratio))};
}

Box random_place(Size size, Size image, Rng& rng) {
  const auto top = static_cast<int>(rng.below(static_cast<std::uint64_t>(image.height - size.height) + 1));
  const auto left = static_cast<int>(rng.below(static_cast<std::uint64_t>(image.width - size.width) + 1));
  return {left, top, size};
}

}  // namespace leat::detail
