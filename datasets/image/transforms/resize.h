#pragma once

#include <optional>

#include "datasets/image/canvas.h"
#include "loader/base/rng.h"

namespace leat {

// Draws nothing.
class Resize {
 public:
  // The shorter edge becomes `short_side`, the longer one int(short_side * longer / shorter).
  explicit Resize(int short_side, Filter filter = Filter::bilinear);
  Resize(int height, int width, Filter filter = Filter::bilinear);  // in torchvision's order

  void apply(Canvas& canvas, Rng& rng) const;
  std::optional<Size> output_size(std::optional<Size> input) const;

 private:
  Size size_;  // height 0: width is the shorter edge
  Filter filter_;
};

}  // namespace leat
