// The decoder for an image's file, whichever kind it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leat/datasets/image/codecs/jpeg_decoder.h"
#include "leat/datasets/image/codecs/png_decoder.h"

namespace leat::detail {

// A file that starts with PNG's signature goes to PngDecoder, every other one to JpegDecoder: contracts are theirs, and
// so are the errors. A PNG cannot be reduced. Reuses its memory; not thread-safe.
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

  // All of a region at once, instead of the two above. The tile is valid until the next call.
  ImageTile decode(const JpegRegion& region);
  // The whole image.
  ImageTile decode();

 private:
  JpegDecoder jpeg_;
  PngDecoder png_;
  bool is_png_ = false;
  Size size_;  // as it is stored
  Image pixels_;
};

}  // namespace leat::detail
