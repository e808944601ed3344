// Rotation of an image's hues.
#pragma once

#include "leat/datasets/image/image.h"

namespace leat::detail {

// `shift` is in turns of the color circle. Pixels are converted to 8-bit HSV as in Pillow, the hue is shifted by
// shift * 255, truncated, and the pixels are converted back. The bytes are the same as torchvision's for a Pillow
// image. The conversion rounds colors even if `shift` is 0. Throws ArgumentError if `shift` is outside [-0.5, 0.5].
void adjust_hue(MutableImageView pixels, double shift);

}  // namespace leat::detail
