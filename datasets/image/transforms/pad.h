#pragma once

#include <optional>

#include "leat/datasets/image/canvas.h"
#include "leat/datasets/rng.h"

namespace leat {

// A border around the picture. Draws nothing.
class Pad {
 public:
  explicit Pad(Padding padding, Rgb fill = {0, 0, 0}, PaddingMode mode = PaddingMode::constant);

  void apply(Canvas& canvas, Rng& rng) const;
  std::optional<Size> output_size(std::optional<Size> input) const;
  bool pads() const noexcept { return padding_ != Padding(0); }

 private:
  Padding padding_;
  Rgb fill_;
  PaddingMode mode_;
};

}  // namespace leat
