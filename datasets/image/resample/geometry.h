// Plan of an image's crops, resizes and flips, made before any pixel is decoded.
//
// Transforms do not touch pixels: they edit a Geometry. The decoder then knows which part of the source is needed.
// Each output byte is computed once, from the source, and written directly to its destination.
#pragma once

#include "leat/datasets/image/image.h"
#include "leat/datasets/image/resample/filter.h"

namespace leat::detail {

struct PixelRange {  // [first, last)
  int first = 0;
  int last = 0;

  int size() const noexcept { return last - first; }
  friend bool operator==(const PixelRange&, const PixelRange&) = default;
};

// Whether the range is not empty and lies within [0, size).
inline bool lies_within(PixelRange range, int size) noexcept {
  return range.first >= 0 && range.first < range.last && range.last <= size;
}

// One dimension of a Geometry. The interval [low, high) of the source is resampled to `resampled` pixels, and the
// pixels in `window` are the output. Invariant: 0 <= low < high <= source. `window` lies within [0, resampled).
// `reach` lies within [0, source) and contains every pixel that the interval touches.
struct AxisPlan {
  int source = 0;    // pixels of the source
  PixelRange reach;  // source pixels that a filter may read, even outside the interval
  double low = 0;
  double high = 0;
  int resampled = 0;
  PixelRange window;

  static AxisPlan whole(int source) noexcept {
    return {source, {0, source}, 0, double(source), source, {0, source}};
  }

  void crop(int first, int size) noexcept;  // keeps output pixels [first, first + size)
  // Resamples the part of the source that the output shows. With FilterReach::crop, only the source pixels that this
  // part touches are read.
  void resize(int size, FilterReach filter_reach) noexcept;

  // The same plan for a source of `reduced` pixels, which is this source at 1/reduction.
  AxisPlan of_reduced(int reduction, int reduced) const noexcept;
  // Whether each output pixel is one source pixel.
  bool is_copy() const noexcept;
};

// Throws ArgumentError if a crop of that size at (left, top) is empty or not entirely inside the image.
void require_inside(int left, int top, Size size, Size image);

// The output is a window of the resampling of a box of the source, mirrored if flipped. Edits compose. However many
// resizes there are, pixels are resampled once: resize, crop, resize goes directly from the source to the final size.
class Geometry {
 public:
  // Starts with the identity. Throws ArgumentError if the source has no pixels.
  explicit Geometry(Size source);

  // Keeps `size` pixels from (left, top) on, in the coordinates of the current output. Throws ArgumentError if they
  // are not all inside.
  void crop(int left, int top, Size size);
  // Scales the current output to `size`. If there are several resizes, the last filter applies. Throws ArgumentError
  // if `size` is empty.
  void resize(Size size, Filter filter, FilterReach filter_reach = FilterReach::crop);
  void flip() noexcept { flipped_ = !flipped_; }                                   // exchanges left and right
  void flip_vertically() noexcept { flipped_vertically_ = !flipped_vertically_; }  // exchanges top and bottom

  // The greatest of 1, 2, 4, 8 by which the source can be reduced first and still have `gap` times the pixels of the
  // resampled image in both directions. 1 if `gap` is 0.
  int reduction(double gap) const noexcept;
  // The same geometry for the source at 1/reduction, with extents rounded up.
  Geometry reduced(int reduction) const;

  Size source() const noexcept { return {x_.source, y_.source}; }
  Size output() const noexcept { return {x_.window.size(), y_.window.size()}; }
  const AxisPlan& x() const noexcept { return x_; }
  const AxisPlan& y() const noexcept { return y_; }
  bool flipped() const noexcept { return flipped_; }
  bool flipped_vertically() const noexcept { return flipped_vertically_; }
  Filter filter() const noexcept { return filter_; }

 private:
  AxisPlan x_;
  AxisPlan y_;
  bool flipped_ = false;
  bool flipped_vertically_ = false;
  Filter filter_ = Filter::bilinear;
};

}  // namespace leat::detail
