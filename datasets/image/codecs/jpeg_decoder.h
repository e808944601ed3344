// Decoder from JPEG to RGB, based on libjpeg-turbo.
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

class JpegState;

// The part of an image to decode.
struct JpegRegion {
  PixelRange rows;
  PixelRange columns;
  // 1, 2, 4 or 8: the image is decoded at 1/reduction of its size. JpegDecoder::size(reduction) returns that size,
  // and `rows` and `columns` refer to it. The coefficients are reduced, which saves most of the work after entropy
  // decoding.
  int reduction = 1;
};

// Decodes 8-bit grayscale, YCbCr, RGB, CMYK and YCCK JPEGs: baseline, progressive, or with arithmetic coding. The
// output has the same bytes that libjpeg makes from the whole image with its default settings (accurate integer DCT,
// smooth chroma upsampling). CMYK is converted to RGB as in Pillow: values are taken as inverted (255 is no ink), as
// Adobe writes them, with or without Adobe's marker.
//
// Rows above the region, and most columns beside it, are only entropy-decoded. Rows below it are not decoded at all.
//
// Damage that leaves all pixels complete is accepted and reported by warnings(): extraneous bytes before a marker,
// parameters that have no meaning in their place, unknown revisions, bad EXIF data.
//
// Throws DataError if the data is not a JPEG, is incomplete, or exceeds a limit. The message gives the reason; the
// caller adds the file name. A JPEG is incomplete if data that entropy decoding needs, the end-of-image marker, or a
// quantization table is missing; JpegLimits::allow_corrupt accepts the first two. Damage below the last requested row
// can remain undetected, but a truncated file is always detected.
//
// The result depends only on the bytes of the image itself. If an image has no Huffman tables (frames of
// Motion-JPEG), the standard tables are used (ITU-T T.81, K.3).
//
// Reuses its memory. Not thread-safe.
class JpegDecoder {
 public:
  // Number of readable bytes after the pixels of next_row(). Their values are unspecified.
  static constexpr std::size_t kRowPadding = 64;

  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(JpegDecoder&&) noexcept;
  JpegDecoder& operator=(JpegDecoder&&) noexcept;

  // Reads the header of an image and returns the size as stored. The bytes must stay valid until the rows are
  // decoded.
  Size read_header(std::span<const std::byte> jpeg, const JpegLimits& limits = {},
                   bool read_orientation = false);

  // The orientation that the EXIF data states. Upright if read_header() was not asked for it. The decoder does not
  // rotate pixels: they are delivered as stored.
  Orientation orientation() const noexcept { return orientation_; }

  // Defects found so far that did not prevent decoding. Call after read_header().
  DecodeWarnings warnings() const noexcept;

  // The image's size at 1/reduction, rounded up. Throws ArgumentError if the reduction is not 1, 2, 4 or 8.
  Size size(int reduction) const;

  // Moves to the first row of the region. Call once after each read_header(). Throws ArgumentError if the image does
  // not contain the region, or if no header was read since the last start().
  void start(const JpegRegion& region);
  // Returns the next row of the region, starting at the region's first column. The row is valid until the next call.
  // Throws ArgumentError if no row is left.
  const std::uint8_t* next_row();

  // Decodes a whole region. Replaces calls to start() and next_row(). The tile is valid until the next call.
  ImageTile decode(const JpegRegion& region);

 private:
  // A row at an address that is not a multiple of a vector's size. For aligned addresses libjpeg-turbo writes pixels
  // past the cache (non-temporal stores). Pixels are read again immediately, so such stores took a quarter of the
  // total time.
  class RowBuffer {
   public:
    void resize(std::size_t size);
    std::uint8_t* pixels() noexcept;

   private:
    static constexpr std::size_t kCacheLine = 64, kOffset = 8;
    std::vector<std::uint8_t> bytes_;
  };

  void require_region(const JpegRegion& region) const;

  std::unique_ptr<JpegState> state_;
  Orientation orientation_;
  JpegRegion region_;
  int left_ = 0;        // column of the reduced image at which libjpeg's rows start
  int next_row_ = 0;    // in the region; equal to its number of rows after the last row
  bool ready_ = false;  // a header was read and no region was started since
  bool is_cmyk_ = false;
  RowBuffer row_;
  std::vector<std::uint8_t> cmyk_;
  Image pixels_;
};

}  // namespace leat::detail
