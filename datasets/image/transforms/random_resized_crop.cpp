#include "leat/datasets/image/transforms/random_resized_crop.h"

#include <algorithm>
#include <cmath>

#include "leat/datasets/image/transforms/random_box.h"

namespace leat {

RandomResizedCrop::RandomResizedCrop(int size, Interval scale, Interval ratio, Filter filter,
                                     FilterReach filter_reach)
    : size_{size, size}, scale_(scale), ratio_(ratio), filter_(filter), filter_reach_(filter_reach) {
  require_extents("RandomResizedCrop", size_);
  require_positive("RandomResizedCrop", "scale", scale);
  require_positive("RandomResizedCrop", "ratio", ratio);
  log_ratio_ = {std::log(ratio.low), std::log(ratio.high)};
}

void RandomResizedCrop::apply(Canvas& canvas, Rng& rng) const {
  constexpr int kTries = 10;
  bool cropped = false;
  for (int attempt = 0; attempt < kTries && !cropped; ++attempt) cropped = try_crop(canvas, rng);
  if (!cropped) crop_middle(canvas);
  canvas.resize(size_, filter_, filter_reach_);
}

bool RandomResizedCrop::try_crop(Canvas& canvas, Rng& rng) const {
  const Size input = canvas.size();
  const auto [width, height] = random_edges(input, scale_, log_ratio_, rng);
  if (!(width >= 1 && width <= input.width && height >= 1 && height <= input.height)) return false;
  const Box box = random_place({static_cast<int>(width), static_cast<int>(height)}, input, rng);
  canvas.crop(box.left, box.top, box.size);
  return true;
}

void RandomResizedCrop::crop_middle(Canvas& canvas) const {
  const Size input = canvas.size();
  const double ratio = double(input.width) / input.height;
  const auto rounded = [](double extent) { return std::max(1, static_cast<int>(std::nearbyint(extent))); };
  Size size = input;
  if (ratio < ratio_.low) {
    size.height = rounded(input.width / ratio_.low);
  } else if (ratio > ratio_.high) {
    size.width = rounded(input.height * ratio_.high);
  }
  canvas.crop((input.width - size.width) / 2, (input.height - size.height) / 2, size);
}

}  // namespace leat
