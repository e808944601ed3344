#include "leat/datasets/image/transforms/pad.h"

namespace leat {

Pad::Pad(Padding padding, Rgb fill, PaddingMode mode) : padding_(padding), fill_(fill), mode_(mode) {
  require_padding("Pad", padding);
}

void Pad::apply(Canvas& canvas, Rng&) const {
  canvas.pad(padding_, mode_, fill_);
}

std::optional<Size> Pad::output_size(std::optional<Size> input) const {
  if (!input) return std::nullopt;
  return padding_.around(*input);
}

}  // namespace leat
