#include "leat/datasets/transforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/transforms/checks.h"
#include "leat/datasets/image/transforms/stage.h"

namespace leat {

using namespace detail;

namespace {

constexpr double kMostFactor = std::numeric_limits<float>::max();

enum class Stage { geometry, pixels, scale };

Stage stage_of(const Transform& transform) {
  return std::visit(
      []<class T>(const T&) {
        if (OfGeometry<T>) return Stage::geometry;
        return OfPixels<T> ? Stage::pixels : Stage::scale;
      },
      transform);
}

bool resizes(const Transform& transform) {
  return std::holds_alternative<Resize>(transform) || std::holds_alternative<RandomResizedCrop>(transform);
}

bool pads(const Transform& transform) {
  if (const auto* crop = std::get_if<RandomCrop>(&transform))
    return crop->options.pad_if_needed || crop->options.padding != Padding(0);
  const auto* pad = std::get_if<Pad>(&transform);
  return pad != nullptr && pad->padding != Padding(0);
}

void require_order(const Transform& before, const Transform& after) {
  if (stage_of(before) == Stage::scale) {
    throw ArgumentError("Normalize is the last transform of a pipeline: put the others before it");
  }
  if (stage_of(before) > stage_of(after)) {
    throw ArgumentError(
        "transforms of geometry (resizes, crops, flips, Pad) come before those of pixels (ColorJitter, "
        "RandAugment, RandomErasing and the like), and Normalize is the last: change their order");
  }
  if (pads(before) && resizes(after)) {
    throw ArgumentError(
        "an image with borders is not resized: put Resize and RandomResizedCrop before Pad and a RandomCrop "
        "that pads");
  }
}

// The interval around `center` with the given amount, or the given interval. Nullopt if it contains only `center`, so
// that there is nothing to do.
std::optional<Interval> around(double center, const char* name, const JitterRange& range, double least,
                               double most) {
  Interval interval{};
  if (const auto* amount = std::get_if<double>(&range.value)) {
    if (!(*amount >= 0))
      throw ArgumentError(fmt::format("ColorJitter: {} {} is not 0 or more", name, *amount));
    // A factor is limited to 0 from below. A hue beyond half a turn is rejected.
    interval = {least == 0 ? std::max(0.0, center - *amount) : center - *amount, center + *amount};
  } else {
    interval = std::get<Interval>(range.value);
  }
  require_within("ColorJitter", name, interval, least, most);
  if (interval.low == center && interval.high == center) return std::nullopt;
  return interval;
}

template <class Enum>
void require_known(const char* transform, const char* name, Enum value, Enum last) {
  if (value > last)
    throw ArgumentError(fmt::format("{}: {} has the value {}, which is none of its names", transform, name,
                                    static_cast<int>(value)));
}

void require_known(const char* transform, Filter filter, FilterReach reach) {
  require_known(transform, "filter", filter, Filter::lanczos);
  require_known(transform, "filter_reach", reach, FilterReach::image);
}

// Checks of constructors and pipelines.
void check(const Resize& resize) {
  require_known("Resize", resize.filter, resize.filter_reach);
  if (resize.short_side != 0 && resize.size != Size())
    throw ArgumentError("Resize: a shorter edge and a size are given; one of them is 0");
  require_extents("Resize",
                  resize.short_side != 0 ? Size{resize.short_side, resize.short_side} : resize.size);
}

void check(const CenterCrop& crop) {
  require_extents("CenterCrop", crop.size);
}

void check(const RandomCrop& crop) {
  require_extents("RandomCrop", crop.size);
  require_padding("RandomCrop", crop.options.padding);
  require_known("RandomCrop", "padding_mode", crop.options.padding_mode, PaddingMode::symmetric);
}

void check(const RandomResizedCrop& crop) {
  require_known("RandomResizedCrop", crop.filter, crop.filter_reach);
  require_extents("RandomResizedCrop", crop.size);
  require_positive("RandomResizedCrop", "scale", crop.scale);
  require_positive("RandomResizedCrop", "ratio", crop.ratio);
}

void check(const Pad& pad) {
  require_padding("Pad", pad.padding);
  require_known("Pad", "mode", pad.mode, PaddingMode::symmetric);
}

void check(const RandomHorizontalFlip& flip) {
  require_probability("RandomHorizontalFlip", flip.p);
}

void check(const RandomVerticalFlip& flip) {
  require_probability("RandomVerticalFlip", flip.p);
}

void check(const ColorJitter& jitter) {
  const auto check_factor = [](const char* name, const std::optional<Interval>& factor) {
    if (factor) require_within("ColorJitter", name, *factor, 0, kMostFactor);
  };
  check_factor("brightness", jitter.brightness);
  check_factor("contrast", jitter.contrast);
  check_factor("saturation", jitter.saturation);
  if (jitter.hue) require_within("ColorJitter", "hue", *jitter.hue, -0.5, 0.5);
}

void check(const Grayscale&) {}

void check(const RandomGrayscale& grayscale) {
  require_probability("RandomGrayscale", grayscale.p);
}

void check(const RandomInvert& invert) {
  require_probability("RandomInvert", invert.p);
}

void check(const RandomPosterize& posterize) {
  require_within("RandomPosterize", "bits", posterize.bits, 0, 8);
  require_probability("RandomPosterize", posterize.p);
}

void check(const RandomSolarize& solarize) {
  require_within("RandomSolarize", "threshold", solarize.threshold, 0, 256);
  require_probability("RandomSolarize", solarize.p);
}

void check(const RandomAutocontrast& autocontrast) {
  require_probability("RandomAutocontrast", autocontrast.p);
}

void check(const RandomEqualize& equalize) {
  require_probability("RandomEqualize", equalize.p);
}

void check(const RandomAdjustSharpness& sharpness) {
  require_within("RandomAdjustSharpness", "sharpness_factor", sharpness.sharpness_factor, 0, kMostFactor);
  require_probability("RandomAdjustSharpness", sharpness.p);
}

void check(const RandAugment& augment) {
  require_within("RandAugment", "num_ops", augment.num_ops, 0, 1000);
  require_within("RandAugment", "num_magnitude_bins", augment.num_magnitude_bins, 2, 1000);
  require_within("RandAugment", "magnitude", augment.magnitude, 0, augment.num_magnitude_bins - 1);
}

void check(const RandomErasing& erasing) {
  require_probability("RandomErasing", erasing.p);
  require_within("RandomErasing", "scale", erasing.scale, 0, 1);
  require_positive("RandomErasing", "ratio", erasing.ratio);
}

void check(const Normalize& normalize) {
  for (std::size_t c = 0; c < normalize.mean.size(); ++c) {
    if (!(std::isfinite(normalize.mean[c]) && std::isfinite(normalize.std[c]) && normalize.std[c] > 0)) {
      throw ArgumentError(
          fmt::format("Normalize: channel {} has mean {} and std {}; both are finite, and std above zero", c,
                      normalize.mean[c], normalize.std[c]));
    }
  }
}

}  // namespace

Resize::Resize(int shorter_edge, Filter with, FilterReach reach)
    : short_side(shorter_edge), size{}, filter(with), filter_reach(reach) {
  require_extents("Resize", {shorter_edge, shorter_edge});
}

Resize::Resize(int height, int width, Filter with, FilterReach reach)
    : short_side(0), size{width, height}, filter(with), filter_reach(reach) {
  check(*this);
}

CenterCrop::CenterCrop(int height, int width) : size{width, height} {
  check(*this);
}

RandomCrop::RandomCrop(int height, int width, const RandomCropOptions& how)
    : size{width, height}, options(how) {
  check(*this);
}

RandomResizedCrop::RandomResizedCrop(int edge, Interval area, Interval aspect, Filter with, FilterReach reach)
    : size{edge, edge}, scale(area), ratio(aspect), filter(with), filter_reach(reach) {
  check(*this);
}

Pad::Pad(Padding widths, Rgb color, PaddingMode how) : padding(widths), fill(color), mode(how) {
  check(*this);
}

RandomHorizontalFlip::RandomHorizontalFlip(double probability) : p(probability) {
  check(*this);
}

RandomVerticalFlip::RandomVerticalFlip(double probability) : p(probability) {
  check(*this);
}

ColorJitter::ColorJitter(JitterRange brightness_range, JitterRange contrast_range,
                         JitterRange saturation_range, JitterRange hue_range)
    : brightness(around(1, "brightness", brightness_range, 0, kMostFactor)),
      contrast(around(1, "contrast", contrast_range, 0, kMostFactor)),
      saturation(around(1, "saturation", saturation_range, 0, kMostFactor)),
      hue(around(0, "hue", hue_range, -0.5, 0.5)) {}

RandomGrayscale::RandomGrayscale(double probability) : p(probability) {
  check(*this);
}

RandomInvert::RandomInvert(double probability) : p(probability) {
  check(*this);
}

RandomPosterize::RandomPosterize(int bits_kept, double probability) : bits(bits_kept), p(probability) {
  check(*this);
}

RandomSolarize::RandomSolarize(int least_inverted, double probability)
    : threshold(least_inverted), p(probability) {
  check(*this);
}

RandomAutocontrast::RandomAutocontrast(double probability) : p(probability) {
  check(*this);
}

RandomEqualize::RandomEqualize(double probability) : p(probability) {
  check(*this);
}

RandomAdjustSharpness::RandomAdjustSharpness(double factor, double probability)
    : sharpness_factor(factor), p(probability) {
  check(*this);
}

RandAugment::RandAugment(int operations, int bin, int bins, Rgb color)
    : num_ops(operations), magnitude(bin), num_magnitude_bins(bins), fill(color) {
  check(*this);
}

RandomErasing::RandomErasing(double probability, Interval area, Interval aspect, Rgb color)
    : p(probability), scale(area), ratio(aspect), value(color) {
  check(*this);
}

Normalize::Normalize(const std::array<float, 3>& channel_means, const std::array<float, 3>& channel_stds)
    : mean(channel_means), std(channel_stds) {
  check(*this);
}

TransformPipeline::TransformPipeline(std::vector<Transform> transforms) : transforms_(std::move(transforms)) {
  for (std::size_t after = 0; after < transforms_.size(); ++after) {
    std::visit([](const auto& transform) { check(transform); }, transforms_[after]);
    for (std::size_t before = 0; before < after; ++before)
      require_order(transforms_[before], transforms_[after]);
  }
}

std::optional<Size> TransformPipeline::output_size(std::optional<Size> input) const {
  std::optional<Size> size = input;
  const auto change = [&]<class T>(const T& transform) {
    if constexpr (OfGeometry<T>) size = detail::output_size(transform, size);
  };
  for (const Transform& transform : transforms_) std::visit(change, transform);
  return size;
}

bool TransformPipeline::normalizes() const noexcept {
  return !transforms_.empty() && std::holds_alternative<Normalize>(transforms_.back());
}

TransformPipeline operator|(const TransformPipeline& first, const TransformPipeline& then) {
  std::vector<Transform> both = first.transforms();
  both.insert(both.end(), then.transforms().begin(), then.transforms().end());
  return TransformPipeline(std::move(both));
}

}  // namespace leat
