#include "leat/datasets/image/transforms/geometry_transforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/transforms/random_box.h"

namespace leat::detail {

namespace {

constexpr int kTries = 10;

Size scaled_to_short_side(Size input, int short_side) {
  const std::int64_t shorter = std::min(input.width, input.height);
  const std::int64_t longer = std::int64_t{short_side} * std::max(input.width, input.height) / shorter;
  if (longer > std::numeric_limits<int>::max()) {
    throw ArgumentError(
        fmt::format("Resize of an image of {} to a shorter edge of {} makes the longer one {}",
                    to_string(input), short_side, longer));
  }
  const int longest = static_cast<int>(longer);
  return input.width <= input.height ? Size{short_side, longest} : Size{longest, short_side};
}

// Rounds to nearest, ties to even, as Python's round() does (the default rounding mode of IEEE 754).
int round_half_even(double value) noexcept {
  return static_cast<int>(std::nearbyint(value));
}

void require_room(const char* transform, Size size, Size input, const char* remedy) {
  if (input.width >= size.width && input.height >= size.height) return;
  throw ArgumentError(fmt::format("{} to {} of an image of {}: it is too small, {}", transform,
                                  to_string(size), to_string(input), remedy));
}

bool try_crop(const RandomResizedCrop& how, Interval log_ratio, Canvas& canvas, Rng& rng) {
  const Size input = canvas.size();
  const auto [width, height] = random_edges(input, how.scale, log_ratio, rng);
  if (!(width >= 1 && width <= input.width && height >= 1 && height <= input.height)) return false;
  const Box box = random_place({static_cast<int>(width), static_cast<int>(height)}, input, rng);
  canvas.crop(box.left, box.top, box.size);
  return true;
}

void crop_middle(const RandomResizedCrop& how, Canvas& canvas) {
  const Size input = canvas.size();
  const double ratio = double(input.width) / input.height;
  const auto rounded = [](double extent) { return std::max(1, static_cast<int>(std::nearbyint(extent))); };
  Size size = input;
  if (ratio < how.ratio.low) {
    size.height = rounded(input.width / how.ratio.low);
  } else if (ratio > how.ratio.high) {
    size.width = rounded(input.height * how.ratio.high);
  }
  canvas.crop((input.width - size.width) / 2, (input.height - size.height) / 2, size);
}

}  // namespace

void apply(const Resize& resize, Canvas& canvas, Rng&) {
  canvas.resize(*output_size(resize, canvas.size()), resize.filter, resize.filter_reach);
}

std::optional<Size> output_size(const Resize& resize, std::optional<Size> input) {
  if (resize.short_side == 0) return resize.size;
  if (!input) return std::nullopt;
  return scaled_to_short_side(*input, resize.short_side);
}

void apply(const CenterCrop& crop, Canvas& canvas, Rng&) {
  const Size input = canvas.size();
  require_room("CenterCrop", crop.size, input, "put a Resize before");
  canvas.crop(round_half_even((input.width - crop.size.width) / 2.0),
              round_half_even((input.height - crop.size.height) / 2.0), crop.size);
}

std::optional<Size> output_size(const CenterCrop& crop, std::optional<Size>) {
  return crop.size;
}

void apply(const RandomCrop& crop, Canvas& canvas, Rng& rng) {
  const RandomCropOptions& options = crop.options;
  canvas.pad(options.padding, options.padding_mode, options.fill);
  if (options.pad_if_needed) {
    const int across = std::max(0, crop.size.width - canvas.size().width);
    const int down = std::max(0, crop.size.height - canvas.size().height);
    canvas.pad({across, down}, options.padding_mode, options.fill);
  }
  require_room("RandomCrop", crop.size, canvas.size(), "set pad_if_needed or put a Resize before");
  const Box box = random_place(crop.size, canvas.size(), rng);
  canvas.crop(box.left, box.top, box.size);
}

std::optional<Size> output_size(const RandomCrop& crop, std::optional<Size>) {
  return crop.size;
}

void apply(const RandomResizedCrop& crop, Canvas& canvas, Rng& rng) {
  const Interval log_ratio{std::log(crop.ratio.low), std::log(crop.ratio.high)};
  bool cropped = false;
  for (int attempt = 0; attempt < kTries && !cropped; ++attempt)
    cropped = try_crop(crop, log_ratio, canvas, rng);
  if (!cropped) crop_middle(crop, canvas);
  canvas.resize(crop.size, crop.filter, crop.filter_reach);
}

std::optional<Size> output_size(const RandomResizedCrop& crop, std::optional<Size>) {
  return crop.size;
}

void apply(const Pad& pad, Canvas& canvas, Rng&) {
  canvas.pad(pad.padding, pad.mode, pad.fill);
}

std::optional<Size> output_size(const Pad& pad, std::optional<Size> input) {
  if (!input) return std::nullopt;
  return pad.padding.around(*input);
}

void apply(const RandomHorizontalFlip& flip, Canvas& canvas, Rng& rng) {
  if (rng.bernoulli(flip.p)) canvas.flip();
}

std::optional<Size> output_size(const RandomHorizontalFlip&, std::optional<Size> input) {
  return input;
}

void apply(const RandomVerticalFlip& flip, Canvas& canvas, Rng& rng) {
  if (rng.bernoulli(flip.p)) canvas.flip_vertically();
}

std::optional<Size> output_size(const RandomVerticalFlip&, std::optional<Size> input) {
  return input;
}

}  // namespace leat::detail
