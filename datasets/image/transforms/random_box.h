// Random boxes for crops and erasing. What is drawn for a box, and in which order, is defined only here.
#pragma once

#include "leat/datasets/image/image.h"
#include "leat/datasets/rng.h"
#include "leat/datasets/transforms.h"

namespace leat::detail {

// Two edges of a random box. Their product is a random share, drawn from `scale`, of the image's area. The logarithm
// of their quotient is drawn from `log_ratio`. Edges are rounded to whole pixels, ties to even, and may be larger
// than the image.
struct Edges {
  double first;  // quotient = first / second
  double second;
};
// Draws the area, then the ratio.
Edges random_edges(Size image, Interval scale, Interval log_ratio, Rng& rng);

// A random place for a box of that size. All places within the image are equally likely. Draws top, then left, even
// if there is only one place. `size` must fit into the image.
Box random_place(Size size, Size image, Rng& rng);

}  // namespace leat::detail
