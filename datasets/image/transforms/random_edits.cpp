#include "leat/datasets/image/transforms/random_edits.h"

#include <limits>

#include "leat/datasets/image/transforms/checks.h"

namespace leat {

namespace detail {

RandomEdit::RandomEdit(const char* transform, PixelEdit edit, double p) : edit_(edit), p_(p) {
  require_probability(transform, p);
}

}  // namespace detail

RandomPosterize::RandomPosterize(int bits, double p)
    : RandomEdit("RandomPosterize", edit::Posterize{bits}, p) {
  require_within("RandomPosterize", "bits", bits, 0, 8);
}

RandomSolarize::RandomSolarize(int threshold, double p)
    : RandomEdit("RandomSolarize", edit::Solarize{threshold}, p) {
  require_within("RandomSolarize", "threshold", threshold, 0, 256);
}

RandomAdjustSharpness::RandomAdjustSharpness(double sharpness_factor, double p)
    : RandomEdit("RandomAdjustSharpness", edit::Sharpness{sharpness_factor}, p) {
  require_within("RandomAdjustSharpness", "sharpness_factor", sharpness_factor, 0,
                 std::numeric_limits<float>::max());
}

}  // namespace leat
