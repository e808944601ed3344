#include "leat/datasets/image/transforms/rand_augment.h"

#include "leat/datasets/image/transforms/augmentations.h"
#include "leat/datasets/image/transforms/checks.h"

namespace leat {

RandAugment::RandAugment(int num_ops, int magnitude, int num_magnitude_bins, Rgb fill)
    : num_ops_(num_ops), magnitude_(magnitude), bins_(num_magnitude_bins), fill_(fill) {
  require_within("RandAugment", "num_ops", num_ops, 0, 1000);
  require_within("RandAugment", "num_magnitude_bins", num_magnitude_bins, 2, 1000);
  require_within("RandAugment", "magnitude", magnitude, 0, num_magnitude_bins - 1);
}

void RandAugment::draw(Size picture, Rng& rng, PixelEdits& edits) const {
  for (int i = 0; i < num_ops_; ++i) {
    const auto what = static_cast<Augmentation>(rng.below(kAugmentations));
    const double magnitude = magnitude_of(what, magnitude_, bins_, picture);
    const bool negative = has_sign(what) && rng.below(2) == 1;
    if (const auto edit = edit_of(what, negative ? -magnitude : magnitude, picture, fill_))
      edits.push_back(*edit);
  }
}

}  // namespace leat
