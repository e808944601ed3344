#pragma once

#include "leat/datasets/image/pixel_edits.h"
#include "leat/datasets/rng.h"

namespace leat {

// num_ops of the fourteen operations of augmentations.h, one after the other, the same perhaps twice, each of magnitude
// bin `magnitude` of num_magnitude_bins. Pixels are moved to the nearest (torchvision's default interpolation); `fill` is
// where the picture has gone.
//
// Draws for each of num_ops: which, then, where it has a sign, whether it is negative.
class RandAugment {
 public:
  explicit RandAugment(int num_ops = 2, int magnitude = 9, int num_magnitude_bins = 31, Rgb fill = {0, 0, 0});

  void draw(Size picture, Rng& rng, PixelEdits& edits) const;

 private:
  int num_ops_;
  int magnitude_;
  int bins_;
  Rgb fill_;
};

}  // namespace leat
