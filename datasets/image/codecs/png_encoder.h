// RGB to PNG, through libpng.
#pragma once

#include <cstddef>
#include <vector>

#include "leat/datasets/image/image.h"

namespace leat::detail {

// A PNG of 8-bit RGB, not interlaced. Throws ArgumentError where the image has no pixels.
std::vector<std::byte> encode_png(ImageView image);

/// The bytes that no PNG of encode_png() of this size exceeds.
std::size_t max_png_bytes(Size size);

}  // namespace leat::detail
