// Turning the hues of an image.
#pragma once

#include "leat/datasets/image/image.h"

namespace leat::detail {

// `shift`: in turns of the color circle. Pixels become 8-bit HSV by Pillow's conversion, the hue is moved by
// shift * 255, truncated, and they are converted back, to the byte as torchvision does with a Pillow image. That
// rounds colors even where the shift is 0. Throws ArgumentError on a shift outside [-0.5, 0.5].
void adjust_hue(MutableImageView pixels, double shift);

}  // namespace leat::detail
