#include "leat/datasets/image/transforms/random_erasing.h"

#include <cmath>

#include "leat/datasets/image/transforms/random_box.h"

namespace leat {

RandomErasing::RandomErasing(double p, Interval scale, Interval ratio, Rgb value)
    : p_(p), scale_(scale), log_ratio_{}, value_(value) {
  require_probability("RandomErasing", p);
  require_within("RandomErasing", "scale", scale, 0, 1);
  require_positive("RandomErasing", "ratio", ratio);
  log_ratio_ = {std::log(ratio.low), std::log(ratio.high)};
}

void RandomErasing::draw(Size picture, Rng& rng, PixelEdits& edits) const {
  if (!rng.bernoulli(p_)) return;
  constexpr int kTries = 10;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const auto [height, width] = random_edges(picture, scale_, log_ratio_, rng);
    if (!(height < picture.height && width < picture.width)) continue;
    const Size size{static_cast<int>(width), static_cast<int>(height)};
    edits.push_back(edit::Erase{random_place(size, picture, rng), value_});
    return;
  }
}

}  // namespace leat
