// Image orientation from a PNG's EXIF data.
#pragma once

#include <optional>

#include "leat/datasets/image/codecs/orientation.h"
#include "leat/datasets/image/codecs/png_chunks.h"

namespace leat::detail {

// Reads the orientation from the eXIf chunk or, if there is none, from the text chunk. Returns upright if there is
// neither, and nullopt if the data is damaged.
std::optional<Orientation> png_orientation(const PngChunks& chunks);

}  // namespace leat::detail
