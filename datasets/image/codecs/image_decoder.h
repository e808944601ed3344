// Decoder for image files of every supported format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leat/datasets/image/codecs/jpeg_decoder.h"
#include "leat/datasets/image/codecs/png_decoder.h"

namespace leat::detail {

// Decodes JPEG and PNG files. A file that starts with PNG's signature is passed to PngDecoder, every other file to
// JpegDecoder. Their contracts and errors apply. A PNG cannot be reduced. Reuses its memory. Not thread-safe.
class ImageDecoder {
 public:
  static constexpr std::size_t kRowPadding = JpegDecoder::kRowPadding;

  Size read_header(std::span<const std::byte> file, const JpegLimits& limits = {},
                   bool read_orientation = false);
  Orientation orientation() const noexcept { return is_png_ ? png_.orientation() : jpeg_.orientation(); }
  DecodeWarnings warnings() const noexcept { return is_png_ ? png_.warnings() : jpeg_.warnings(); }
  bool can_reduce() const noexcept { return !is_png_; }
  Size size(int reduction) const { return is_png_ ? size_ : jpeg_.size(reduction); }

  void start(const JpegRegion& region);
  const std::uint8_t* next_row() { return is_png_ ? png_.next_row() : jpeg_.next_row(); }

  // Decodes a whole region. Replaces calls to start() and next_row(). The tile is valid until the next call.
  ImageTile decode(const JpegRegion& region);
  // Decodes the whole image.
  ImageTile decode();

 private:
  JpegDecoder jpeg_;
  PngDecoder png_;
  bool is_png_ = false;
  Size size_;  // as stored
  Image pixels_;
};

}  // namespace leat::detail
