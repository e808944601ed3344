// Pixels according to a Geometry: separable, antialiased resampling with Pillow's 8-bit arithmetic.
#pragma once

#include <cstdint>
#include <vector>

#include "leat/datasets/image/image.h"
#include "leat/datasets/image/pixel_output.h"
#include "leat/datasets/image/resample/coefficients.h"
#include "leat/datasets/image/resample/geometry.h"
#include "leat/datasets/image/resample/packed_weights.h"
#include "leat/datasets/image/resample/row_ring.h"

namespace leat::detail {

// Rows are resampled first, then columns, with 8-bit pixels in between; both passes round to nearest. The
// result is that of Pillow's Image.resize(size, filter, box), of which the geometry's window is kept and
// mirrored where it says so: the same on every pixel, +-1 where a box edge is no float. With FilterReach::image, a
// filter that reaches over the box's edge sees the source's pixels beyond it, like there; with FilterReach::crop it is
// as if the box had been cut out before. An axis that is not scaled is copied.
//
// Source rows are taken one after the other, as a decoder makes them, and as many are kept as an output row
// needs. Each output row is written once, as soon as its last source row is there.
//
// Use: prepare(), begin(), push() for each of source_rows(); or prepare() and run(). Not thread-safe; keeps
// its memory for the next image.
class Resampler {
 public:
  void prepare(const Geometry& geometry);

  // The part of the source that is read.
  PixelRange source_rows() const noexcept { return y_.source(); }
  PixelRange source_columns() const noexcept { return x_.source(); }

  // The pixels will be written to `out`. Throws ArgumentError where that has not the geometry's output size.
  void begin(const PixelOutput& out);
  // The next source row, from source_columns().first on; kKernelPadding bytes behind its end can be read.
  // Throws ArgumentError behind the last one.
  void push(const std::uint8_t* row);

  // Writes every pixel of `out`. `source` holds at least the rows and columns above. Throws ArgumentError
  // where it does not, and like begin().
  void run(const ImageTile& source, const PixelOutput& out);

 private:
  void check(const ImageTile& source) const;
  void take(const std::uint8_t* row, std::uint8_t* to) const;
  void write_row(int y);  // counted from the side of the first source row
  void collect(const Coefficients::Taps& taps);

  bool copies_columns_ = false;
  bool upside_down_ = false;
  Coefficients x_;
  Coefficients y_;
  PackedWeights packed_x_;
  RowRing ring_;  // of source rows with the output's columns
  PixelOutput out_;
  int next_source_ = 0;
  int next_output_ = 0;
  std::vector<const std::uint8_t*> rows_;  // of one output row
  std::vector<std::uint8_t> row_;          // one output row, before it is scaled
  std::vector<std::uint8_t> padded_;       // one source row of a tile
};

}  // namespace leat::detail
