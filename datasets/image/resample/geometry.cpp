#include "leat/datasets/image/resample/geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

// The source coordinate of the resampled coordinate `k`. Multiplies before it divides, so the result is exact if the
// scale is 1.
double source_of(const AxisPlan& axis, int k) noexcept {
  if (k == axis.resampled) return axis.high;
  return axis.low + (axis.high - axis.low) * k / axis.resampled;
}

}  // namespace

void AxisPlan::crop(int first, int size) noexcept {
  window.first += first;
  window.last = window.first + size;
}

void AxisPlan::resize(int size, FilterReach filter_reach) noexcept {
  if (size == window.size()) return;
  const double first = source_of(*this, window.first);
  high = source_of(*this, window.last);
  low = first;
  if (filter_reach == FilterReach::crop)
    reach = {static_cast<int>(std::floor(low)), static_cast<int>(std::ceil(high))};
  resampled = size;
  window = {0, size};
}

AxisPlan AxisPlan::of_reduced(int reduction, int reduced) const noexcept {
  AxisPlan plan = *this;
  plan.source = reduced;
  plan.low = low / reduction;
  plan.high = std::min(high / reduction, double(reduced));
  plan.reach = {reach.first / reduction, std::min((reach.last - 1) / reduction + 1, reduced)};
  return plan;
}

bool AxisPlan::is_copy() const noexcept {
  return high - low == resampled && low == std::floor(low);
}

Geometry::Geometry(Size source) : x_(AxisPlan::whole(source.width)), y_(AxisPlan::whole(source.height)) {
  if (source.width < 1 || source.height < 1) {
    throw ArgumentError(fmt::format("an image of {} pixels cannot be transformed", to_string(source)));
  }
}

void require_inside(int left, int top, Size size, Size image) {
  const bool inside = left >= 0 && top >= 0 && size.width > 0 && size.height > 0 &&
                      size.width <= image.width && size.height <= image.height &&
                      left <= image.width - size.width && top <= image.height - size.height;
  if (!inside) {
    throw ArgumentError(fmt::format("a crop of {} at ({}, {}) does not fit into an image of {}",
                                    to_string(size), left, top, to_string(image)));
  }
}

void Geometry::crop(int left, int top, Size size) {
  const Size now = output();
  require_inside(left, top, size, now);
  x_.crop(flipped_ ? now.width - left - size.width : left, size.width);
  y_.crop(flipped_vertically_ ? now.height - top - size.height : top, size.height);
}

void Geometry::resize(Size size, Filter filter, FilterReach filter_reach) {
  if (size.width < 1 || size.height < 1)
    throw ArgumentError("cannot resize to " + to_string(size) + " pixels");
  x_.resize(size.width, filter_reach);
  y_.resize(size.height, filter_reach);
  filter_ = filter;
}

int Geometry::reduction(double gap) const noexcept {
  const auto suffices = [gap](const AxisPlan& axis, int by) {
    return axis.high - axis.low >= axis.resampled * gap * by;
  };
  for (const int by : {8, 4, 2}) {
    if (gap > 0 && suffices(x_, by) && suffices(y_, by)) return by;
  }
  return 1;
}

Geometry Geometry::reduced(int reduction) const {
  if (reduction == 1) return *this;
  const auto extent = [&](int pixels) { return (pixels - 1) / reduction + 1; };
  Geometry geometry = *this;
  geometry.x_ = x_.of_reduced(reduction, extent(x_.source));
  geometry.y_ = y_.of_reduced(reduction, extent(y_.source));
  return geometry;
}

}  // namespace leat::detail
