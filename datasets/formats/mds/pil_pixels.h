// Pixels as MDS stores them: u32 width, u32 height, u32 length of the mode, the mode (L or RGB), the pixels row by row;
// little-endian.
#pragma once

#include "leat/datasets/io/byte_reader.h"
#include "leat/datasets/sample_source.h"

namespace leat::detail {

// Adds the pixels, without their head. `reader` is at their start and ends where they end. Throws DataError where
// they are damaged, or of another mode than L and RGB.
void add_pil_pixels(std::string_view name, ByteReader reader, StoredSample& sample);

}  // namespace leat::detail
