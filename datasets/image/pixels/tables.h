// What maps each byte of an image by itself, to the byte as Pillow's ImageOps.
#pragma once

#include "leat/datasets/image/image.h"

namespace leat::detail {

void invert(MutableImageView pixels);

// Keeps the highest `bits` of each byte. Throws ArgumentError where they are not 0 to 8.
void posterize(MutableImageView pixels, int bits);

// Inverts the bytes from `threshold` on: all of them for 0 or less, none for 256 or more.
void solarize(MutableImageView pixels, int threshold);

// Stretches each channel, so that its lowest value becomes 0 and its highest 255. A channel of one value stays.
void auto_contrast(MutableImageView pixels);

// Makes the values of each channel about equally frequent. A channel stays where it has one value only, or where
// fewer than 255 pixels have another value than its highest.
void equalize(MutableImageView pixels);

}  // namespace leat::detail
