// JPEG to RGB, through libjpeg-turbo.
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

// The part of an image that is decoded.
struct JpegRegion {
  PixelRange rows;
  PixelRange columns;
  // 1, 2, 4 or 8: the image is decoded at 1/reduction of its size, as JpegDecoder::size(reduction) tells,
  // and rows and columns count there. The reduction is done on the coefficients, and saves most of the work
  // behind the entropy decoder.
  int reduction = 1;
};

// Decodes 8-bit grayscale, YCbCr, RGB, CMYK and YCCK; baseline, progressive or arithmetic, to the bytes that
// libjpeg makes of the whole image with its default settings (accurate integer DCT, smooth chroma
// upsampling). CMYK becomes RGB as in Pillow: values are inverted (255 is no ink), as Adobe writes them, with
// or without marker.
//
// Rows above the region are entropy-decoded only, as are most columns beside it; rows below it not at all.
//
// Damage that leaves all pixels complete is passed over, and told by warnings(): bytes that do not belong before a
// marker, parameters that have no meaning in their place, unknown revisions, bad EXIF data.
//
// Throws DataError on a file that is none, lacks data, or breaks a limit; its text says which, but no file
// name: the caller adds it. Lacking are data that entropy decoding needs, the end-of-image marker, and quantization
// tables; JpegLimits::allow_corrupt accepts the first two. Damage below the last row that is asked for can go
// unnoticed, but a file that was cut off cannot.
//
// An image depends on its own bytes alone. Where it has no Huffman tables (frames of Motion-JPEG), the standard ones
// are taken (ITU-T T.81, K.3).
//
// Reuses its memory; not thread-safe.
class JpegDecoder {
 public:
  // Bytes behind the pixels of next_row() that can be read. What they hold is unspecified.
  static constexpr std::size_t kRowPadding = 64;

  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(JpegDecoder&&) noexcept;
  JpegDecoder& operator=(JpegDecoder&&) noexcept;

  // Starts on an image and returns its size, as it is stored. The bytes must stay until its rows are decoded.
  Size read_header(std::span<const std::byte> jpeg, const JpegLimits& limits = {},
                   bool read_orientation = false);

  // What EXIF data says of the image; upright where it was not asked for. Pixels are as they are stored.
  Orientation orientation() const noexcept { return orientation_; }

  // What was wrong with the image, as far as it has been read; it is decoded all the same. After read_header().
  DecodeWarnings warnings() const noexcept;

  // The size that the image has at 1/reduction: extents are rounded up. Throws ArgumentError on another
  // reduction.
  Size size(int reduction) const;

  // Goes to the region's first row; once after each read_header(). Throws ArgumentError where the image has
  // no such region, or none was started.
  void start(const JpegRegion& region);
  // The next row of the region, its first pixel in the region's first column; valid until the next call.
  // Throws ArgumentError where there is none.
  const std::uint8_t* next_row();

  // All of a region at once, instead of the two above. The tile is valid until the next call.
  ImageTile decode(const JpegRegion& region);

 private:
  // libjpeg-turbo writes pixels past the cache (non-temporal stores) where their address is a multiple of a
  // vector's size. They are read again at once, so this memory is none: that took a quarter of all time.
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
  int left_ = 0;        // the column of the reduced image that libjpeg's rows start with
  int next_row_ = 0;    // in the region; behind its end where none is to come
  bool ready_ = false;  // a header was read, its region was not started
  bool is_cmyk_ = false;
  RowBuffer row_;
  std::vector<std::uint8_t> cmyk_;
  Image pixels_;
};

}  // namespace leat::detail
