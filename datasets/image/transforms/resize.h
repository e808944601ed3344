#pragma once

#include <optional>

#include "leat/datasets/image/canvas.h"
#include "leat/datasets/rng.h"

namespace leat {

// Draws nothing. What a crop before it left out does not count, unless `filter_reach` says FilterReach::picture.
class Resize {
 public:
  // The shorter edge becomes `short_side`, the longer one int(short_side * longer / shorter).
  explicit Resize(int short_side, Filter filter = Filter::bilinear,
                  FilterReach filter_reach = FilterReach::crop);
  // In torchvision's order.
  Resize(int height, int width, Filter filter = Filter::bilinear,
         FilterReach filter_reach = FilterReach::crop);

  void apply(Canvas& canvas, Rng& rng) const;
  std::optional<Size> output_size(std::optional<Size> input) const;

 private:
  Size size_;  // height 0: width is the shorter edge
  Filter filter_;
  FilterReach filter_reach_;
};

}  // namespace leat
