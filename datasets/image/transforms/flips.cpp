#include "leat/datasets/image/transforms/flips.h"

#include "leat/datasets/image/transforms/checks.h"

namespace leat {

RandomHorizontalFlip::RandomHorizontalFlip(double p) : p_(p) {
  require_probability("RandomHorizontalFlip", p);
}

void RandomHorizontalFlip::apply(Canvas& canvas, Rng& rng) const {
  if (rng.bernoulli(p_)) canvas.flip();
}

RandomVerticalFlip::RandomVerticalFlip(double p) : p_(p) {
  require_probability("RandomVerticalFlip", p);
}

void RandomVerticalFlip::apply(Canvas& canvas, Rng& rng) const {
  if (rng.bernoulli(p_)) canvas.flip_vertically();
}

}  // namespace leat
