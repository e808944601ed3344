// Pixels according to a Geometry: separable, antialiased resampling with Pillow's 8-bit arithmetic.
#pragma once

#include <cstdint>
#include <vector>

#include "datasets/image/coefficients.h"
#include "datasets/image/geometry.h"
#include "datasets/image/image.h"

namespace leat {

// Rows are resampled first, then columns, with 8-bit pixels in between; both passes round to nearest. The
// result is that of Pillow's Image.resize(size, filter, box), of which the geometry's window is kept and
// mirrored where it says so: the same on every pixel, +-1 where a box edge is no float. Like there, a filter
// that reaches over the box's edge sees the source's pixels beyond it. An axis that is not scaled is copied.
//
// Use: prepare(), have the source rows decoded, run(). Not thread-safe; keeps its memory for the next
// picture.
class Resampler {
 public:
  void prepare(const Geometry& geometry);

  // The part of the source that run() reads.
  PixelRange source_rows() const noexcept { return y_.source(); }
  PixelRange source_columns() const noexcept { return x_.source(); }

  // Writes every pixel of `out`, which has the geometry's output size. `source` holds at least the rows and
  // columns above. Throws ArgumentError where either is not so.
  void run(const ImageTile& source, MutableImageView out);

 private:
  void check(const ImageTile& source, MutableImageView out) const;
  void resample_rows(const ImageTile& source, PixelRange rows, MutableImageView out) const;
  void resample_columns(const ImageTile& source, MutableImageView out);
  void copy(const ImageTile& source, MutableImageView out) const;

  bool x_needed_ = false;
  bool y_needed_ = false;
  Coefficients x_;
  Coefficients y_;
  Image between_;                   // after the first pass: source rows, output columns
  std::vector<std::int32_t> sums_;  // of one output row
};

}  // namespace leat
