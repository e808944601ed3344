#include "datasets/image/coefficients.h"

#include <algorithm>
#include <cmath>

namespace leat {

namespace {

std::int32_t to_fixed(double weight) noexcept {
  constexpr double one = 1 << kWeightBits;
  return static_cast<std::int32_t>(weight * one + (weight < 0 ? -0.5 : 0.5));
}

// The pixel edge that is nearest; the right one of two.
int nearest_edge(double x) noexcept {
  const double shifted = x + 0.5;
  return static_cast<int>(std::floor(shifted));
}

double scale_of(const AxisPlan& axis) noexcept {
  return (axis.high - axis.low) / axis.resampled;
}

}  // namespace

void Coefficients::compute(const AxisPlan& axis, Filter filter, bool reversed) {
  const double support = support_of(filter) * std::max(scale_of(axis), 1.0);
  stride_ = static_cast<std::size_t>(std::ceil(support)) * 2 + 1;
  taps_.clear();
  weights_.clear();
  weights_.reserve(stride_ * static_cast<std::size_t>(axis.window.size()));
  source_ = {axis.source, 0};
  max_taps_ = 0;
  for (int i = 0; i < axis.window.size(); ++i) {
    add(axis, filter, reversed ? axis.window.last - 1 - i : axis.window.first + i);
  }
}

void Coefficients::add(const AxisPlan& axis, Filter filter, int position) {
  const double filter_scale = std::max(scale_of(axis), 1.0);
  const double support = support_of(filter) * filter_scale;
  const double center = axis.low + (position + 0.5) * scale_of(axis);
  const int first = std::max(nearest_edge(center - support), 0);
  const int last = std::min(nearest_edge(center + support), axis.source);

  exact_.clear();
  double sum = 0;
  for (int pixel = first; pixel < last; ++pixel) {
    exact_.push_back(weight_of(filter, (pixel - center + 0.5) * (1.0 / filter_scale)));
    sum += exact_.back();
  }
  taps_.push_back({first, last - first});
  for (const double weight : exact_) weights_.push_back(to_fixed(sum != 0 ? weight / sum : weight));
  weights_.resize(taps_.size() * stride_);
  source_ = {std::min(source_.first, first), std::max(source_.last, last)};
  max_taps_ = std::max(max_taps_, last - first);
}

Coefficients::Taps Coefficients::operator[](int output) const noexcept {
  const auto entry = static_cast<std::size_t>(output);
  return {taps_[entry].first,
          std::span(weights_).subspan(entry * stride_, static_cast<std::size_t>(taps_[entry].count))};
}

}  // namespace leat
