// Brightness, contrast, saturation and sharpness. Each one blends an image with a plainer image and gives the same
// bytes as Pillow's ImageEnhance.
//
// A factor of 1 leaves the image unchanged, 0 gives the plainer image, and other factors extrapolate. Negative
// factors are allowed. Bytes are computed as floats, clamped to [0, 255] and truncated, as in Pillow's Image.blend,
// and are the same on every machine. All functions throw ArgumentError if the factor is not a finite float.
#pragma once

#include "leat/datasets/image/image.h"

namespace leat::detail {

// Blends with black.
void adjust_brightness(MutableImageView pixels, double factor);

// Blends with the mean of the image's gray values, rounded to the nearest integer.
void adjust_contrast(MutableImageView pixels, double factor);

// Blends with the gray image; see to_grayscale().
void adjust_saturation(MutableImageView pixels, double factor);

// Blends with a smoothed image, in which each pixel has weight 5 and its eight neighbors have weight 1 each. Pixels
// at the border do not change. `scratch` is resized to two rows; its pixels are unspecified afterwards.
void adjust_sharpness(MutableImageView pixels, double factor, Image& scratch);

}  // namespace leat::detail
