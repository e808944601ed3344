#include "datasets/image/transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "loader/base/errors.h"

namespace leat {

namespace {

// To nearest, ties to even, as Python's round() does (the default rounding mode of IEEE 754).
int round_half_even(double value) noexcept {
  return static_cast<int>(std::nearbyint(value));
}

void require_extents(const char* transform, Size size) {
  if (size.width < 1 || size.height < 1) {
    throw ArgumentError(fmt::format("{} to {} pixels: extents are at least 1", transform, to_string(size)));
  }
}

void require_interval(const char* name, Interval interval) {
  if (!(interval.low > 0 && interval.low <= interval.high && std::isfinite(interval.high))) {
    throw ArgumentError(fmt::format("RandomResizedCrop: {} [{}, {}] is no interval of positive numbers", name,
                                    interval.low, interval.high));
  }
}

void require_probability(const char* transform, double p) {
  if (!(p >= 0 && p <= 1)) throw ArgumentError(fmt::format("{}: p is {}, not in [0, 1]", transform, p));
}

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

Resize::Resize(int short_side, Filter filter) : size_{short_side, 0}, filter_(filter) {
  require_extents("Resize", {short_side, short_side});
}

Resize::Resize(int height, int width, Filter filter) : size_{width, height}, filter_(filter) {
  require_extents("Resize", size_);
}

void Resize::apply(Geometry& geometry, Rng&) const {
  geometry.resize(*output_size(geometry.output()), filter_);
}

std::optional<Size> Resize::output_size(std::optional<Size> input) const {
  if (size_.height != 0) return size_;
  if (!input) return std::nullopt;
  return scaled_to_short_side(*input, size_.width);
}

CenterCrop::CenterCrop(int height, int width) : size_{width, height} {
  require_extents("CenterCrop", size_);
}

void CenterCrop::apply(Geometry& geometry, Rng&) const {
  const Size input = geometry.output();
  if (input.width < size_.width || input.height < size_.height) {
    throw ArgumentError(
        fmt::format("CenterCrop to {} of a picture of {}: it is too small, put a Resize before",
                    to_string(size_), to_string(input)));
  }
  geometry.crop(round_half_even((input.width - size_.width) / 2.0),
                round_half_even((input.height - size_.height) / 2.0), size_);
}

RandomResizedCrop::RandomResizedCrop(int size, Interval scale, Interval ratio, Filter filter)
    : size_{size, size}, scale_(scale), ratio_(ratio), filter_(filter) {
  require_extents("RandomResizedCrop", size_);
  require_interval("scale", scale);
  require_interval("ratio", ratio);
  log_ratio_ = {std::log(ratio.low), std::log(ratio.high)};
}

void RandomResizedCrop::apply(Geometry& geometry, Rng& rng) const {
  constexpr int kTries = 10;
  bool cropped = false;
  for (int attempt = 0; attempt < kTries && !cropped; ++attempt) cropped = try_crop(geometry, rng);
  if (!cropped) crop_middle(geometry);
  geometry.resize(size_, filter_);
}

bool RandomResizedCrop::try_crop(Geometry& geometry, Rng& rng) const {
  const Size input = geometry.output();
  const double area = double(input.width) * input.height * rng.uniform(scale_.low, scale_.high);
  const double ratio = std::exp(rng.uniform(log_ratio_.low, log_ratio_.high));
  const double width = std::nearbyint(std::sqrt(area * ratio));
  const double height = std::nearbyint(std::sqrt(area / ratio));
  if (!(width >= 1 && width <= input.width && height >= 1 && height <= input.height)) return false;
  const Size size{static_cast<int>(width), static_cast<int>(height)};
  const auto top = static_cast<int>(rng.below(static_cast<std::uint64_t>(input.height - size.height) + 1));
  const auto left = static_cast<int>(rng.below(static_cast<std::uint64_t>(input.width - size.width) + 1));
  geometry.crop(left, top, size);
  return true;
}

void RandomResizedCrop::crop_middle(Geometry& geometry) const {
  const Size input = geometry.output();
  const double ratio = double(input.width) / input.height;
  Size size = input;
  if (ratio < ratio_.low) {
    size.height = std::max(1, round_half_even(input.width / ratio_.low));
  } else if (ratio > ratio_.high) {
    size.width = std::max(1, round_half_even(input.height * ratio_.high));
  }
  geometry.crop((input.width - size.width) / 2, (input.height - size.height) / 2, size);
}

RandomHorizontalFlip::RandomHorizontalFlip(double p) : p_(p) {
  require_probability("RandomHorizontalFlip", p);
}

void RandomHorizontalFlip::apply(Geometry& geometry, Rng& rng) const {
  if (rng.bernoulli(p_)) geometry.flip();
}

RandomVerticalFlip::RandomVerticalFlip(double p) : p_(p) {
  require_probability("RandomVerticalFlip", p);
}

void RandomVerticalFlip::apply(Geometry& geometry, Rng& rng) const {
  if (rng.bernoulli(p_)) geometry.flip_vertically();
}

Normalize::Normalize(const std::array<float, 3>& mean, const std::array<float, 3>& std) : scale_{} {
  for (std::size_t c = 0; c < mean.size(); ++c) {
    if (!(std::isfinite(mean[c]) && std::isfinite(std[c]) && std[c] > 0)) {
      throw ArgumentError(
          fmt::format("Normalize: channel {} has mean {} and std {}; both are finite, and std above zero", c,
                      mean[c], std[c]));
    }
    scale_.scale[c] = static_cast<float>(1.0 / (255.0 * std[c]));
    scale_.bias[c] = -mean[c] / std[c];
  }
}

Geometry TransformPipeline::plan(Size source, Rng& rng) const {
  Geometry geometry(source);
  for (const Transform& transform : transforms_) {
    std::visit([&](const auto& t) { t.apply(geometry, rng); }, transform);
  }
  return geometry;
}

std::optional<Size> TransformPipeline::output_size() const {
  std::optional<Size> size;
  for (const Transform& transform : transforms_) {
    size = std::visit([&](const auto& t) { return t.output_size(size); }, transform);
  }
  return size;
}

const ChannelScale* TransformPipeline::scale() const noexcept {
  const auto* last = transforms_.empty() ? nullptr : std::get_if<Normalize>(&transforms_.back());
  return last != nullptr ? &last->scale() : nullptr;
}

TransformPipeline operator|(TransformPipeline first, const TransformPipeline& then) {
  if (first.scale() != nullptr && !then.transforms_.empty()) {
    throw ArgumentError("Normalize is the last transform of a pipeline: put the others before it");
  }
  first.transforms_.insert(first.transforms_.end(), then.transforms_.begin(), then.transforms_.end());
  return first;
}

}  // namespace leat
