// The random boxes of crops and erasing: what is drawn for them, and in which order, is decided here alone.
#pragma once

#include "leat/datasets/image/image.h"
#include "leat/datasets/image/transforms/checks.h"
#include "leat/datasets/rng.h"

namespace leat {

struct Box {  // in pixels
  int left = 0;
  int top = 0;
  Size size;
};

// Two edges whose product is a random share `scale` of the picture's area, and whose quotient has a logarithm in
// `log_ratio`; to whole pixels, ties to even. They may be larger than the picture.
struct Edges {
  double first;  // quotient = first / second
  double second;
};
// Draws area, then ratio.
Edges random_edges(Size picture, Interval scale, Interval log_ratio, Rng& rng);

// A place for a box of that size, equally likely for all that lie within the picture. Draws top, then left, also
// where there is no choice. `size` fits into the picture.
Box random_place(Size size, Size picture, Rng& rng);

}  // namespace leat
