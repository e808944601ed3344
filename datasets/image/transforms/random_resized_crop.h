#pragma once

#include <optional>

#include "leat/datasets/image/canvas.h"
#include "leat/datasets/image/transforms/checks.h"
#include "leat/datasets/rng.h"

namespace leat {

// A crop of random area (a share `scale` of the picture's) and random aspect ratio width / height
// (log-uniform in `ratio`), resized to size x size. Where ten tries do not fit, the largest middle part
// within `ratio`. Each try draws area and ratio; the one that fits draws top and left.
//
// The crop is cut out first, as in torchvision: no pixel beside it counts. With FilterReach::picture the filter sees what
// lies beyond the crop's edges, as does Pillow's resize() with a box.
class RandomResizedCrop {
 public:
  explicit RandomResizedCrop(int size, Interval scale = {0.08, 1.0}, Interval ratio = {3.0 / 4.0, 4.0 / 3.0},
                             Filter filter = Filter::bilinear, FilterReach filter_reach = FilterReach::crop);

  void apply(Canvas& canvas, Rng& rng) const;
  std::optional<Size> output_size(std::optional<Size>) const { return size_; }

 private:
  bool try_crop(Canvas& canvas, Rng& rng) const;
  void crop_middle(Canvas& canvas) const;

  Size size_;
  Interval scale_;
  Interval ratio_;
  Interval log_ratio_;
  Filter filter_;
  FilterReach filter_reach_;
};

}  // namespace leat
