// JPEG to RGB, through libjpeg-turbo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "datasets/image/geometry.h"
#include "datasets/image/image.h"

namespace leat {

// What a file may ask for; checked before memory is allocated for it.
struct JpegLimits {
  std::uint64_t max_pixels = 178'956'970;  // width times height; Pillow's MAX_IMAGE_PIXELS
  std::size_t max_decoder_bytes = std::size_t{512}
                                  << 20;  // libjpeg's own memory (progressive files need 3 to 6
                                          // bytes per pixel); the decoded rows are not in it
  int max_scans = 100;                    // a file of many scans takes long however small it is
  bool allow_corrupt = false;  // true: what libjpeg only warns about is accepted, and missing data is grey
};

// Decodes 8-bit greyscale, YCbCr, RGB, CMYK and YCCK; baseline, progressive or arithmetic, to the bytes that
// libjpeg makes with its default settings (accurate integer DCT, smooth chroma upsampling). CMYK becomes RGB
// as in Pillow: values are inverted (255 is no ink), as Adobe writes them, with or without marker.
//
// Throws DataError on a file that is none, is damaged, or breaks a limit; its text says which, but no file
// name: the caller adds it. Damage below the last row that is asked for can go unnoticed, but a file that was
// cut off cannot: an end-of-image marker must be there.
//
// Reuses its memory; not thread-safe.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(JpegDecoder&&) noexcept;
  JpegDecoder& operator=(JpegDecoder&&) noexcept;

  // Starts on a picture and returns its size. The bytes must stay until its rows are decoded.
  Size read_header(std::span<const std::byte> jpeg, const JpegLimits& limits = {});

  // The given rows, over the full width, of the picture that read_header() started; once per picture. The
  // tile is valid until the next call. Throws ArgumentError where there are no such rows or no picture was
  // started.
  ImageTile decode_rows(PixelRange rows);

 private:
  struct State;

  std::unique_ptr<State> state_;
  Image pixels_;
};

}  // namespace leat
