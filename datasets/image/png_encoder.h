// RGB to PNG, through libpng.
#pragma once

#include <cstddef>
#include <vector>

#include "datasets/image/image.h"

namespace leat {

// A PNG of 8-bit RGB, not interlaced. Throws ArgumentError where the picture has no pixels.
std::vector<std::byte> encode_png(ImageView image);

}  // namespace leat
