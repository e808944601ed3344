// PNG to RGB, through libpng.
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

// Decodes every kind of PNG to the bytes of Pillow's convert("RGB"): gray in three equal channels, palettes looked up,
// transparency left out without blending, of 16 bits the upper 8; no gamma or color profile is applied. Gray of 16
// bits is the exception: Pillow cuts its values off at 255, here they are reduced to the upper 8 bits like colors.
//
// Rows above the part that is asked for are inflated too, rows below it are not; an interlaced image is decoded
// whole.
//
// An index beyond the palette is black, as libpng makes it (Pillow makes it gray, of the index itself): no color is
// right, so it is a warning.
//
// Throws DataError, without a file name, on a file that is no PNG, is damaged (a wrong CRC included), was cut off, or
// exceeds a limit. Of JpegLimits, max_pixels and max_decoder_bytes (libpng's rows, and all pixels of an interlaced
// image) apply; they are checked before memory is taken. allow_corrupt accepts wrong CRCs; the first row that cannot
// be read and all rows below it are then black (of an interlaced image, the pixels that cannot be read have the value
// 0: black, or the first color of the palette). Damage below the last row that is asked for can go unnoticed.
//
// Reuses its memory for pixels; not thread-safe.
class PngDecoder {
 public:
  // Bytes behind the pixels of next_row() that can be read. What they hold is unspecified.
  static constexpr std::size_t kRowPadding = 64;

  PngDecoder();
  ~PngDecoder();
  PngDecoder(PngDecoder&&) noexcept;
  PngDecoder& operator=(PngDecoder&&) noexcept;

  // Starts on an image and returns its size, as it is stored. The bytes must stay until its rows are decoded.
  Size read_header(std::span<const std::byte> png, const JpegLimits& limits = {},
                   bool read_orientation = false);

  // What the chunk eXIf says of the image, or EXIF data in a text chunk (png_exif.h); upright where it was not asked
  // for, and where it is damaged, which is a warning. Pixels are as they are stored.
  Orientation orientation() const noexcept { return orientation_; }

  // What was wrong with the image, as far as it has been read. After read_header().
  DecodeWarnings warnings() const noexcept;

  // Goes to the first of `rows`; once after each read_header(). Throws ArgumentError where the image has no such rows
  // or columns, or none was started.
  void start(PixelRange rows, PixelRange columns);
  // The next row, its first pixel in the first of the columns; valid until the next call. Throws ArgumentError where
  // there is none.
  const std::uint8_t* next_row();

 private:
  void start_interlaced();

  std::unique_ptr<PngState> state_;
  Orientation orientation_;
  Size size_;
  PixelRange rows_;
  int first_column_ = 0;
  int next_row_ = 0;    // of the image; rows_.last where none is to come
  bool ready_ = false;  // a header was read, its rows were not started
  bool interlaced_ = false;
  bool broken_ = false;               // no further row can be read
  DecodeWarnings warnings_;           // beside those of libpng
  std::vector<std::uint8_t> pixels_;  // one row, or all of an interlaced image; padded
};

}  // namespace leat::detail
