// The orientation that a PNG's EXIF data states.
#pragma once

#include <optional>

#include "leat/datasets/image/codecs/orientation.h"
#include "leat/datasets/image/codecs/png_chunks.h"

namespace leat::detail {

// Of the chunk eXIf; where there is none, of the text. Upright where there is neither, nullopt where the data is
// damaged.
std::optional<Orientation> png_orientation(const PngChunks& chunks);

}  // namespace leat::detail
