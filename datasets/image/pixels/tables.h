// Operations that map each byte of an image separately. They give the same bytes as Pillow's ImageOps.
#pragma once

#include "leat/datasets/image/image.h"

namespace leat::detail {

void invert(MutableImageView pixels);

// Keeps the highest `bits` bits of each byte. Throws ArgumentError if `bits` is not in 0 to 8.
void posterize(MutableImageView pixels, int bits);

// Inverts the bytes that are at least `threshold`: all of them if it is 0 or less, none if it is 256 or more.
void solarize(MutableImageView pixels, int threshold);

// Stretches each channel so that its lowest value becomes 0 and its highest value 255. A channel with a single value
// does not change.
void auto_contrast(MutableImageView pixels);

// Makes the values of each channel about equally frequent. A channel does not change if it has a single value, or if
// fewer than 255 of its pixels have a value other than its highest.
void equalize(MutableImageView pixels);

}  // namespace leat::detail
