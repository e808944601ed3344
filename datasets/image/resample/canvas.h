// An image's Geometry together with the borders around its output.
#pragma once

#include <vector>

#include "leat/datasets/image/resample/geometry.h"
#include "leat/datasets/image/resample/padding.h"

namespace leat::detail {

// The object that geometry transforms edit. Borders are painted after resampling. Only the part of the image that is
// visible in the end is decoded and resampled.
class Canvas {
 public:
  // Starts with the identity. Throws ArgumentError if the source has no pixels.
  explicit Canvas(Size source) : geometry_(source) {}

  Size size() const noexcept { return is_bordered() ? Size{x_.size(), y_.size()} : geometry_.output(); }

  // Like the members of Geometry. resize() throws ArgumentError if the image has borders.
  void crop(int left, int top, Size size);
  void resize(Size size, Filter filter, FilterReach filter_reach = FilterReach::crop);
  void flip();
  void flip_vertically();

  // Adds borders of color `fill`, or of the image's own pixels, depending on `mode`. Throws ArgumentError if the
  // image becomes too large.
  void pad(const Padding& padding, PaddingMode mode, Rgb fill);

  // Call after the last edit. Removes invisible parts from the geometry, and drops borders that are cropped away
  // entirely.
  void trim();

  // What to decode and resample. If is_bordered() is false, this is all there is to do.
  const Geometry& geometry() const noexcept { return geometry_; }
  bool is_bordered() const noexcept { return x_.size() != 0; }

  // Writes every pixel of `out`, which has size(), from the geometry's output.
  void paint(ImageView image, MutableImageView out) const;

 private:
  void paint_row(ImageView image, int from, const std::vector<PaddedAxis::Run>& runs, std::uint8_t* to) const;

  Geometry geometry_;
  PaddedAxis x_;  // both are empty if there is no border
  PaddedAxis y_;
  std::vector<Rgb> fills_;  // fill number n is at index n - 1
};

}  // namespace leat::detail
