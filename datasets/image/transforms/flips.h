#pragma once

#include <optional>

#include "leat/datasets/image/canvas.h"
#include "leat/datasets/rng.h"

namespace leat {

// Left and right change places. Draws one number: whether.
class RandomHorizontalFlip {
 public:
  explicit RandomHorizontalFlip(double p = 0.5);

  void apply(Canvas& canvas, Rng& rng) const;
  std::optional<Size> output_size(std::optional<Size> input) const { return input; }

 private:
  double p_;
};

// Top and bottom change places. Draws one number: whether.
class RandomVerticalFlip {
 public:
  explicit RandomVerticalFlip(double p = 0.5);

  void apply(Canvas& canvas, Rng& rng) const;
  std::optional<Size> output_size(std::optional<Size> input) const { return input; }

 private:
  double p_;
};

}  // namespace leat
