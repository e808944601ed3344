#pragma once

#include <optional>

#include "leat/datasets/image/canvas.h"
#include "leat/datasets/rng.h"

namespace leat {

// The middle. A margin that is odd leaves the half pixel where Python's round((height - size) / 2.0) leaves
// it. A smaller picture is an error (torchvision pads it with black): put a Resize before. Draws nothing.
class CenterCrop {
 public:
  explicit CenterCrop(int size) : CenterCrop(size, size) {}
  CenterCrop(int height, int width);

  void apply(Canvas& canvas, Rng& rng) const;
  std::optional<Size> output_size(std::optional<Size>) const { return size_; }

 private:
  Size size_;
};

struct RandomCropOptions {
  Padding padding = 0;         // painted around the picture first
  bool pad_if_needed = false;  // a picture still too small gets what it lacks on both sides
  Rgb fill = {0, 0, 0};        // of PaddingMode::constant
  PaddingMode padding_mode = PaddingMode::constant;
};

// Any part of that size. A smaller picture is an error unless pad_if_needed is set. Draws top, then left, also where
// there is no choice (torchvision draws nothing then).
class RandomCrop {
 public:
  explicit RandomCrop(int size, const RandomCropOptions& options = {}) : RandomCrop(size, size, options) {}
  RandomCrop(int height, int width, const RandomCropOptions& options = {});

  void apply(Canvas& canvas, Rng& rng) const;
  std::optional<Size> output_size(std::optional<Size>) const { return size_; }
  bool pads() const noexcept { return options_.pad_if_needed || options_.padding != Padding(0); }

 private:
  Size size_;
  RandomCropOptions options_;
};

}  // namespace leat
