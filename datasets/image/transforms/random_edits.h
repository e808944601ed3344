// Transforms that are one edit of the pixels, done with probability p. Each but Grayscale draws one number: whether.
#pragma once

#include "leat/datasets/image/pixel_edits.h"
#include "leat/datasets/rng.h"

namespace leat {

namespace detail {

class RandomEdit {
 public:
  void draw(Size, Rng& rng, PixelEdits& edits) const {
    if (rng.bernoulli(p_)) edits.push_back(edit_);
  }

 protected:
  RandomEdit(const char* transform, PixelEdit edit, double p);

 private:
  PixelEdit edit_;
  double p_;
};

}  // namespace detail

// Grey, in three equal channels (torchvision's num_output_channels = 3). Draws nothing.
class Grayscale {
 public:
  void draw(Size, Rng&, PixelEdits& edits) const { edits.push_back(edit::Grayscale{}); }
};

class RandomGrayscale : public detail::RandomEdit {
 public:
  explicit RandomGrayscale(double p = 0.1) : RandomEdit("RandomGrayscale", edit::Grayscale{}, p) {}
};

class RandomInvert : public detail::RandomEdit {
 public:
  explicit RandomInvert(double p = 0.5) : RandomEdit("RandomInvert", edit::Invert{}, p) {}
};

// Keeps the highest `bits`, 0 to 8, of each channel.
class RandomPosterize : public detail::RandomEdit {
 public:
  explicit RandomPosterize(int bits, double p = 0.5);
};

// Inverts the channels' values from `threshold`, 0 to 256, on.
class RandomSolarize : public detail::RandomEdit {
 public:
  explicit RandomSolarize(int threshold, double p = 0.5);
};

class RandomAutocontrast : public detail::RandomEdit {
 public:
  explicit RandomAutocontrast(double p = 0.5) : RandomEdit("RandomAutocontrast", edit::AutoContrast{}, p) {}
};

class RandomEqualize : public detail::RandomEdit {
 public:
  explicit RandomEqualize(double p = 0.5) : RandomEdit("RandomEqualize", edit::Equalize{}, p) {}
};

// 0 smooths, 1 leaves the picture as it is, 2 doubles the sharpness.
class RandomAdjustSharpness : public detail::RandomEdit {
 public:
  explicit RandomAdjustSharpness(double sharpness_factor, double p = 0.5);
};

}  // namespace leat
