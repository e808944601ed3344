// The random boxes of crops and erasing: what is drawn for them, and in which order, is decided here alone.
#pragma once

#include "leat/datasets/image/image.h"
#include "leat/datasets/rng.h"
#include "leat/datasets/transforms.h"

namespace leat::detail {

// Two edges whose product is a random share `scale` of the image's area, and whose quotient has a logarithm in
// `log_ratio`; to whole pixels, ties to even. They may be larger than the image.
struct Edges {
  double first;  // quotient = first / second
  double second;
};
// Draws area, then ratio.
Edges random_edges(Size image, Interval scale, Interval log_ratio, Rng& rng);

// A place for a box of that size, equally likely for all that lie within the image. Draws top, then left, also
// where there is no choice. `size` fits into the image.
Box random_place(Size size, Size image, Rng& rng);

}  // namespace leat::detail
