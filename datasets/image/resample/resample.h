// Resampling of an image according to a Geometry: separable, antialiased, with Pillow's 8-bit arithmetic.
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

// Rows are resampled first, then columns, with 8-bit pixels in between. Both passes round to nearest. The result is
// that of Pillow's Image.resize(size, filter, box), cropped to the geometry's window and mirrored if the geometry is
// flipped. Every pixel is the same, or differs by at most 1 if a box edge is not a float. With FilterReach::image, a
// filter that reaches over the box's edge reads the source pixels beyond it, as in Pillow. With FilterReach::crop the
// box is treated as if it had been cut out first. An axis that is not scaled is copied.
//
// Source rows are taken one after the other, as a decoder delivers them, and only as many rows are kept as one output
// row needs. Each output row is written once, as soon as its last source row has arrived.
//
// Use: prepare(), begin(), then push() for each of source_rows(); or prepare() and run(). Not thread-safe. Keeps its
// memory for the next image.
class Resampler {
 public:
  void prepare(const Geometry& geometry);

  // The part of the source that is read.
  PixelRange source_rows() const noexcept { return y_.source(); }
  PixelRange source_columns() const noexcept { return x_.source(); }

  // Sets the destination of the pixels. Throws ArgumentError if `out` does not have the geometry's output size.
  void begin(const PixelOutput& out);
  // Takes the next source row, starting at column source_columns().first. kKernelPadding bytes beyond its end must be
  // readable. Throws ArgumentError after the last row.
  void push(const std::uint8_t* row);

  // Writes every pixel of `out`. `source` must hold at least source_rows() and source_columns(). Throws ArgumentError
  // if it does not, and like begin().
  void run(const ImageTile& source, const PixelOutput& out);

 private:
  void check(const ImageTile& source) const;
  void take(const std::uint8_t* row, std::uint8_t* to) const;
  void write_row(int y);  // y is counted from the side of the first source row
  void collect(const Coefficients::Taps& taps);

  bool copies_columns_ = false;
  bool upside_down_ = false;
  Coefficients x_;
  Coefficients y_;
  PackedWeights packed_x_;
  RowRing ring_;  // source rows, with the output's columns
  PixelOutput out_;
  int next_source_ = 0;
  int next_output_ = 0;
  std::vector<const std::uint8_t*> rows_;  // source rows of one output row
  std::vector<std::uint8_t> row_;          // one output row before scaling
  std::vector<std::uint8_t> padded_;       // one source row of a tile
};

}  // namespace leat::detail
