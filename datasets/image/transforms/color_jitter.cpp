#include "leat/datasets/image/transforms/color_jitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "leat/datasets/errors.h"

namespace leat {

namespace {

constexpr double kMostFactor = std::numeric_limits<float>::max();

}  // namespace

std::optional<Interval> JitterRange::around(double centre, const char* name, double least,
                                            double most) const {
  Interval interval{};
  if (const auto* amount = std::get_if<double>(&given_)) {
    if (!(*amount >= 0))
      throw ArgumentError(fmt::format("ColorJitter: {} {} is not 0 or more", name, *amount));
    // A hue beyond half a turn is refused, a factor stops at 0.
    interval = {least == 0 ? std::max(0.0, centre - *amount) : centre - *amount, centre + *amount};
  } else {
    interval = std::get<Interval>(given_);
  }
  require_within("ColorJitter", name, interval, least, most);
  if (interval.low == centre && interval.high == centre) return std::nullopt;
  return interval;
}

ColorJitter::ColorJitter(JitterRange brightness, JitterRange contrast, JitterRange saturation,
                         JitterRange hue)
    : brightness_(brightness.around(1, "brightness", 0, kMostFactor)),
      contrast_(contrast.around(1, "contrast", 0, kMostFactor)),
      saturation_(saturation.around(1, "saturation", 0, kMostFactor)),
      hue_(hue.around(0, "hue", -0.5, 0.5)) {}

void ColorJitter::draw(Size, Rng& rng, PixelEdits& edits) const {
  std::array<std::size_t, 4> order{0, 1, 2, 3};
  for (std::size_t place = order.size() - 1; place > 0; --place) {
    std::swap(order[place], order[static_cast<std::size_t>(rng.below(place + 1))]);
  }
  std::array<std::optional<PixelEdit>, 4> drawn;
  const auto from = [&](Interval interval) { return rng.uniform(interval.low, interval.high); };
  if (brightness_) drawn[0] = edit::Brightness{from(*brightness_)};
  if (contrast_) drawn[1] = edit::Contrast{from(*contrast_)};
  if (saturation_) drawn[2] = edit::Saturation{from(*saturation_)};
  if (hue_) drawn[3] = edit::Hue{from(*hue_)};
  for (const std::size_t which : order) {
    if (drawn[which]) edits.push_back(*drawn[which]);
  }
}

}  // namespace leat
