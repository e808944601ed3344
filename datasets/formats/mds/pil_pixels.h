// Pixels as MDS stores them: u32 width, u32 height, u32 length of the mode, the mode (L or RGB), the pixels row by
// row; little-endian.
#pragma once

#include "leat/datasets/io/byte_reader.h"
#include "leat/datasets/sample_source.h"

namespace leat::detail {

// Adds the pixels without their header. `reader` holds header and pixels, and nothing else. Throws DataError if they
// are damaged, or have a mode that is neither L nor RGB.
void add_pil_pixels(std::string_view name, ByteReader reader, StoredSample& sample);

}  // namespace leat::detail
