// Borders around pictures.
#pragma once

#include "datasets/image/image.h"

namespace leat {

enum class PaddingMode {
  constant,   // the fill colour
  edge,       // the nearest pixel
  reflect,    // mirrored at the outermost pixel, which is not repeated: c b | a b c | b a
  symmetric,  // mirrored at the edge: b a | a b c | c b
};

// Copies `from` into `to`, `left` and `top` pixels from its corner, and fills the borders, as torchvision does with
// Pillow images. Borders wider than the picture mirror it again and again (where numpy 1, which torchvision asks,
// loses its way beyond the second time). `from` and `to` do not overlap. Throws ArgumentError where `from` does not
// fit in there, or has no pixels and the mode is not constant.
void pad(ImageView from, MutableImageView to, int left, int top, PaddingMode mode, Rgb fill);

}  // namespace leat
