#include "leat/datasets/image/picture_decoder.h"

#include <fmt/format.h>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/decode_tile.h"
#include "leat/datasets/image/png_chunks.h"

namespace leat {

static_assert(PngDecoder::kRowPadding >= PictureDecoder::kRowPadding);

Size PictureDecoder::read_header(std::span<const std::byte> file, const JpegLimits& limits,
                                 bool read_orientation) {
  is_png_ = is_png(file);
  size_ = is_png_ ? png_.read_header(file, limits, read_orientation)
                  : jpeg_.read_header(file, limits, read_orientation);
  return size_;
}

void PictureDecoder::start(const JpegRegion& region) {
  if (!is_png_) return jpeg_.start(region);
  if (region.reduction != 1) {
    throw ArgumentError(fmt::format("a PNG cannot be decoded at 1/{} of its size", region.reduction));
  }
  png_.start(region.rows, region.columns);
}

ImageTile PictureDecoder::decode(const JpegRegion& region) {
  return decode_tile(*this, region, pixels_);
}

ImageTile PictureDecoder::decode() {
  return decode({.rows = {0, size_.height}, .columns = {0, size_.width}});
}

}  // namespace leat
