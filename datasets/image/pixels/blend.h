// Brightness, contrast, saturation and sharpness: blends of an image with a plainer one, to the byte as Pillow's
// ImageEnhance makes them.
//
// A factor of 1 leaves the image as it is, 0 gives the plainer one, others extrapolate; negative ones are
// allowed. Bytes are computed as floats, clamped to [0, 255] and truncated, as by Pillow's Image.blend, and are the
// same on every machine. All functions throw ArgumentError on a factor that is no finite float.
#pragma once

#include "leat/datasets/image/image.h"

namespace leat::detail {

// Blends with black.
void adjust_brightness(MutableImageView pixels, double factor);

// Blends with the mean of the image's gray values, rounded to nearest.
void adjust_contrast(MutableImageView pixels, double factor);

// Blends with the gray image, see to_grayscale().
void adjust_saturation(MutableImageView pixels, double factor);

// Blends with a smoothed image: each pixel weighs 5, its eight neighbors 1 each. Pixels at the border stay as
// they are. `scratch` is resized to two rows; its pixels are unspecified afterwards.
void adjust_sharpness(MutableImageView pixels, double factor, Image& scratch);

}  // namespace leat::detail
