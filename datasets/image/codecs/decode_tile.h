// Decodes a whole region with a decoder that delivers single rows.
#pragma once

#include <cstring>

#include "leat/datasets/image/image.h"

namespace leat::detail {

// Decodes the region into `pixels`. The tile is valid until `pixels` changes.
template <class Decoder, class Region>
ImageTile decode_tile(Decoder& decoder, const Region& region, Image& pixels) {
  decoder.start(region);
  pixels.resize({region.columns.size(), region.rows.size()});
  const MutableImageView out = pixels.view();
  for (int y = 0; y < out.size.height; ++y) std::memcpy(out.row(y), decoder.next_row(), out.row_bytes());
  return {out, region.columns.first, region.rows.first};
}

}  // namespace leat::detail
