#pragma once

#include "leat/datasets/image/pixel_edits.h"
#include "leat/datasets/image/transforms/checks.h"
#include "leat/datasets/rng.h"

namespace leat {

// With probability p, a box of random area (a share `scale` of the picture's) and random aspect ratio height / width
// (log-uniform in `ratio`) is painted with `value`. Where ten tries do not fit, nothing is.
//
// It erases bytes, before Normalize, where torchvision's comes behind: what is to be 0 after Normalize is the mean here
// ({124, 116, 104} for ImageNet's). Noise (torchvision's value = "random") is not supported.
//
// Draws whether; then each try draws area and ratio; the one that fits draws top and left.
class RandomErasing {
 public:
  explicit RandomErasing(double p = 0.5, Interval scale = {0.02, 0.33}, Interval ratio = {0.3, 3.3},
                         Rgb value = {0, 0, 0});

  void draw(Size picture, Rng& rng, PixelEdits& edits) const;

 private:
  double p_;
  Interval scale_;
  Interval log_ratio_;
  Rgb value_;
};

}  // namespace leat
