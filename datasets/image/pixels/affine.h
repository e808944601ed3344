// Affine transforms of images (translation, rotation, scaling, shear) without interpolation.
#pragma once

#include "leat/datasets/image/image.h"

namespace leat::detail {

// Maps output pixel (x, y) to the source pixel at (a x + b y + c, d x + e y + f). Coordinates are continuous: the
// center of the first pixel is (0.5, 0.5).
struct AffineMatrix {
  double a, b, c;
  double d, e, f;
};

// Writes every pixel of `to`: the nearest source pixel, or `fill` outside of the source. Equals Pillow's
// Image.transform(size, AFFINE, NEAREST), including the rounding of coordinates. If all coordinates are below 32768,
// they are computed in fixed point (16.16), otherwise by repeated addition in double. If the matrix only scales, each
// axis is computed separately. `from` and `to` must not overlap. Throws ArgumentError if an entry of the matrix is
// not finite.
void affine(ImageView from, MutableImageView to, const AffineMatrix& matrix, Rgb fill);

}  // namespace leat::detail
