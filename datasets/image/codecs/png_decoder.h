// Decoder from PNG to RGB, based on libpng.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "leat/datasets/decode_warnings.h"
#include "leat/datasets/image/codecs/orientation.h"
#include "leat/datasets/image/image.h"
#include "leat/datasets/image/resample/geometry.h"
#include "leat/datasets/jpeg_limits.h"

namespace leat::detail {

class PngState;

// Decodes every kind of PNG to the same bytes as Pillow's convert("RGB"): gray becomes three equal channels, palette
// indices are looked up, transparency is dropped without blending, and of 16-bit values the upper 8 bits are kept. No
// gamma or color profile is applied. 16-bit gray is an exception: Pillow clips its values at 255, while this decoder
// keeps the upper 8 bits, as for colors.
//
// Rows above the requested part are inflated too, rows below it are not. An interlaced image is decoded completely.
//
// An index beyond the palette becomes black, as in libpng (Pillow makes it the gray value of the index). No color is
// correct here, so this is a warning.
//
// Throws DataError, without a file name, if the data is not a PNG, is damaged (including a wrong CRC), is truncated,
// or exceeds a limit. Of JpegLimits, max_pixels and max_decoder_bytes apply; the latter counts libpng's rows, and all
// pixels of an interlaced image. Both are checked before memory is allocated. allow_corrupt accepts wrong CRCs and
// truncated files. Then the first row that cannot be read and all rows below it are black. In an interlaced image,
// pixels that cannot be read have the value 0: black, or the first color of the palette. Damage below the last
// requested row can remain undetected.
//
// Reuses its memory for pixels. Not thread-safe.
class PngDecoder {
 public:
  // Number of readable bytes after the pixels of next_row(). Their values are unspecified.
  static constexpr std::size_t kRowPadding = 64;

  PngDecoder();
  ~PngDecoder();
  PngDecoder(PngDecoder&&) noexcept;
  PngDecoder& operator=(PngDecoder&&) noexcept;

  // Reads the header of an image and returns the size as stored. The bytes must stay valid until the rows are
  // decoded.
  Size read_header(std::span<const std::byte> png, const JpegLimits& limits = {},
                   bool read_orientation = false);

  // The orientation that the eXIf chunk states, or the EXIF data in a text chunk (png_exif.h). Upright if
  // read_header() was not asked for it, or if it is damaged, which is a warning. The decoder does not rotate pixels:
  // they are delivered as stored.
  Orientation orientation() const noexcept { return orientation_; }

  // Defects found so far that did not prevent decoding. Call after read_header().
  DecodeWarnings warnings() const noexcept;

  // Moves to the first of `rows`. Call once after each read_header(). Throws ArgumentError if the image does not
  // contain the rows or columns, or if no header was read since the last start().
  void start(PixelRange rows, PixelRange columns);
  // Returns the next row, starting at the first of the columns. The row is valid until the next call. Throws
  // ArgumentError if no row is left.
  const std::uint8_t* next_row();

 private:
  void start_interlaced();

  std::unique_ptr<PngState> state_;
  Orientation orientation_;
  Size size_;
  PixelRange rows_;
  int first_column_ = 0;
  int next_row_ = 0;    // in the image; rows_.last if no row is left
  bool ready_ = false;  // a header was read and no rows were started since
  bool interlaced_ = false;
  bool broken_ = false;               // no more rows can be read
  DecodeWarnings warnings_;           // in addition to those of libpng
  std::vector<std::uint8_t> pixels_;  // one row, or all rows of an interlaced image, and padding
};

}  // namespace leat::detail
