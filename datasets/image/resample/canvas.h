// An image's Geometry, and the borders painted around its output.
#pragma once

#include <vector>

#include "leat/datasets/image/resample/geometry.h"
#include "leat/datasets/image/resample/padding.h"

namespace leat::detail {

// What the transforms of geometry edit. A border is painted after resampling, and only the part of the image that is
// seen in the end is resampled, or even decoded.
class Canvas {
 public:
  // The identity. Throws ArgumentError where the source has no pixels.
  explicit Canvas(Size source) : geometry_(source) {}

  Size size() const noexcept { return is_bordered() ? Size{x_.size(), y_.size()} : geometry_.output(); }

  // As Geometry's. A bordered image is not resized: ArgumentError.
  void crop(int left, int top, Size size);
  void resize(Size size, Filter filter, FilterReach filter_reach = FilterReach::crop);
  void flip();
  void flip_vertically();

  // Borders of `fill`, or of the image's own pixels as the mode says. Throws ArgumentError where the image becomes
  // too large.
  void pad(const Padding& padding, PaddingMode mode, Rgb fill);

  // After the last edit: takes from the geometry what is not seen, and drops borders of which nothing is left.
  void trim();

  // What is to be decoded and resampled; that is all, unless is_bordered().
  const Geometry& geometry() const noexcept { return geometry_; }
  bool is_bordered() const noexcept { return x_.size() != 0; }

  // Writes every pixel of `out`, which is of size(), from the geometry's output.
  void paint(ImageView image, MutableImageView out) const;

 private:
  void paint_row(ImageView image, int from, const std::vector<PaddedAxis::Run>& runs, std::uint8_t* to) const;

  Geometry geometry_;
  PaddedAxis x_;  // both empty where there is no border
  PaddedAxis y_;
  std::vector<Rgb> fills_;  // number n is at n - 1
};

}  // namespace leat::detail
