// Moving, turning, scaling and shearing images, without interpolation.
#pragma once

#include "leat/datasets/image/image.h"

namespace leat::detail {

// Output pixel (x, y) takes the source's pixel at (a x + b y + c, d x + e y + f), of continuous coordinates: the
// center of the first pixel is (0.5, 0.5).
struct AffineMatrix {
  double a, b, c;
  double d, e, f;
};

// Writes every pixel of `to`: the source's nearest one, or `fill` outside of the source. As Pillow's
// Image.transform(size, AFFINE, NEAREST) does it, the coordinates' roundings included: in fixed point (16.16) where
// they are below 32768, else by adding up in double; each axis by itself where the matrix only scales. `from` and
// `to` do not overlap. Throws ArgumentError on a matrix with an entry that is not finite.
void affine(ImageView from, MutableImageView to, const AffineMatrix& matrix, Rgb fill);

}  // namespace leat::detail
