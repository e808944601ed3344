#include "leat/datasets/image/transforms/crops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/transforms/checks.h"
#include "leat/datasets/image/transforms/random_box.h"

namespace leat {

namespace {

// To nearest, ties to even, as Python's round() does (the default rounding mode of IEEE 754).
int round_half_even(double value) noexcept {
  return static_cast<int>(std::nearbyint(value));
}

void require_room(const char* transform, Size size, Size input, const char* remedy) {
  if (input.width >= size.width && input.height >= size.height) return;
  throw ArgumentError(fmt::format("{} to {} of a picture of {}: it is too small, {}", transform,
                                  to_string(size), to_string(input), remedy));
}

}  // namespace

CenterCrop::CenterCrop(int height, int width) : size_{width, height} {
  require_extents("CenterCrop", size_);
}

void CenterCrop::apply(Canvas& canvas, Rng&) const {
  const Size input = canvas.size();
  require_room("CenterCrop", size_, input, "put a Resize before");
  canvas.crop(round_half_even((input.width - size_.width) / 2.0),
              round_half_even((input.height - size_.height) / 2.0), size_);
}

RandomCrop::RandomCrop(int height, int width, const RandomCropOptions& options)
    : size_{width, height}, options_(options) {
  require_extents("RandomCrop", size_);
  require_padding("RandomCrop", options.padding);
}

void RandomCrop::apply(Canvas& canvas, Rng& rng) const {
  canvas.pad(options_.padding, options_.padding_mode, options_.fill);
  if (options_.pad_if_needed) {
    const int across = std::max(0, size_.width - canvas.size().width);
    const int down = std::max(0, size_.height - canvas.size().height);
    canvas.pad({across, down}, options_.padding_mode, options_.fill);
  }
  require_room("RandomCrop", size_, canvas.size(), "set pad_if_needed or put a Resize before");
  const Box box = random_place(size_, canvas.size(), rng);
  canvas.crop(box.left, box.top, box.size);
}

}  // namespace leat
