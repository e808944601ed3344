// Encoder from RGB to PNG, based on libpng.
#pragma once

#include <cstddef>
#include <vector>

#include "leat/datasets/image/image.h"

namespace leat::detail {

// Encodes the image as an 8-bit RGB PNG without interlacing. Throws ArgumentError if the image has no pixels.
std::vector<std::byte> encode_png(ImageView image);

/// Upper bound for the length, in bytes, of a PNG that encode_png() makes from an image of this size.
std::size_t max_png_bytes(Size size);

}  // namespace leat::detail
