#include "leat/datasets/image/transforms/resize.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/transforms/checks.h"

namespace leat {

namespace {

Size scaled_to_short_side(Size input, int short_side) {
  const std::int64_t shorter = std::min(input.width, input.height);
  const std::int64_t longer = std::int64_t{short_side} * std::max(input.width, input.height) / shorter;
  if (longer > std::numeric_limits<int>::max()) {
    throw ArgumentError(
        fmt::format("Resize of a picture of {} to a shorter edge of {} makes the longer one {}",
                    to_string(input), short_side, longer));
  }
  const int longest = static_cast<int>(longer);
  return input.width <= input.height ? Size{short_side, longest} : Size{longest, short_side};
}

}  // namespace

Resize::Resize(int short_side, Filter filter, FilterReach filter_reach)
    : size_{short_side, 0}, filter_(filter), filter_reach_(filter_reach) {
  require_extents("Resize", {short_side, short_side});
}

Resize::Resize(int height, int width, Filter filter, FilterReach filter_reach)
    : size_{width, height}, filter_(filter), filter_reach_(filter_reach) {
  require_extents("Resize", size_);
}

void Resize::apply(Canvas& canvas, Rng&) const {
  canvas.resize(*output_size(canvas.size()), filter_, filter_reach_);
}

std::optional<Size> Resize::output_size(std::optional<Size> input) const {
  if (size_.height != 0) return size_;
  if (!input) return std::nullopt;
  return scaled_to_short_side(*input, size_.width);
}

}  // namespace leat
