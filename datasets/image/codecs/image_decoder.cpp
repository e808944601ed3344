#include "leat/datasets/image/codecs/image_decoder.h"

#include <fmt/format.h>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/codecs/decode_tile.h"
#include "leat/datasets/image/codecs/png_chunks.h"

namespace leat::detail {

static_assert(PngDecoder::kRowPadding >= ImageDecoder::kRowPadding);

Size ImageDecoder::read_header(std::span<const std::byte> file, const JpegLimits& limits,
                               bool read_orientation) {
  is_png_ = is_png(file);
  size_ = is_png_ ? png_.read_header(file, limits, read_orientation)
                  : jpeg_.read_header(file, limits, read_orientation);
  return size_;
}

void ImageDecoder::start(const JpegRegion& region) {
  if (!is_png_) return jpeg_.start(region);
  if (region.reduction != 1) {
    throw ArgumentError(fmt::format("a PNG cannot be decoded at 1/{} of its size", region.reduction));
  }
  png_.start(region.rows, region.columns);
}

ImageTile ImageDecoder::decode(const JpegRegion& region) {
  return decode_tile(*this, region, pixels_);
}

ImageTile ImageDecoder::decode() {
  return decode({.rows = {0, size_.height}, .columns = {0, size_.width}});
}

}  // namespace leat::detail
