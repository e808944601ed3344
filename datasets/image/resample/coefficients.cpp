#include "leat/datasets/image/resample/coefficients.h"

#include <algorithm>
#include <cmath>

#include "leat/datasets/base/checked.h"

namespace leat::detail {

namespace {

std::int32_t to_fixed(double weight) noexcept {
  constexpr double one = 1 << kWeightBits;
  return static_cast<std::int32_t>(weight * one + (weight < 0 ? -0.5 : 0.5));
}

// The pixel edge that is nearest to x; the right one if two are equally near. 0 for negative x.
int nearest_edge(double x) noexcept {
  return static_cast<int>(std::max(x + 0.5, 0.0));
}

double scale_of(const AxisPlan& axis) noexcept {
  return (axis.high - axis.low) / axis.resampled;
}

}  // namespace

void Coefficients::compute(const AxisPlan& axis, Filter filter, bool reversed) {
  const double support = support_of(filter) * std::max(scale_of(axis), 1.0);
  const auto outputs = static_cast<std::size_t>(axis.window.size());
  stride_ = static_cast<std::size_t>(std::ceil(support)) * 2 + 1;
  taps_.resize(outputs);
  weights_.resize(checked_multiply(stride_, outputs));
  exact_.resize(stride_);
  switch (filter) {
    case Filter::box:
      return fill<Filter::box>(axis, support, reversed);
    case Filter::bilinear:
      return fill<Filter::bilinear>(axis, support, reversed);
    case Filter::bicubic:
      return fill<Filter::bicubic>(axis, support, reversed);
    case Filter::lanczos:
      return fill<Filter::lanczos>(axis, support, reversed);
  }
}

template <Filter kFilter>
void Coefficients::fill(const AxisPlan& axis, double support, bool reversed) {
  const double scale = scale_of(axis);
  const double inverse = 1.0 / std::max(scale, 1.0);  // of the filter's own scale
  source_ = {axis.source, 0};
  max_taps_ = 0;
  for (int i = 0; i < axis.window.size(); ++i) {
    const int position = reversed ? axis.window.last - 1 - i : axis.window.first + i;
    // Counted from the reach's first pixel, so that a crop gets exactly the same weights as an image that was cut out
    // first.
    const double center = (axis.low - axis.reach.first) + (position + 0.5) * scale;
    const int first = nearest_edge(center - support);
    const int last = std::min(nearest_edge(center + support), axis.reach.size());
    taps_[static_cast<std::size_t>(i)] = {first, last - first};
    weigh<kFilter>(static_cast<std::size_t>(i), center, inverse);
    taps_[static_cast<std::size_t>(i)].first += axis.reach.first;
    source_ = {std::min(source_.first, axis.reach.first + first),
               std::max(source_.last, axis.reach.first + last)};
    max_taps_ = std::max(max_taps_, last - first);
  }
}

template <Filter kFilter>
void Coefficients::weigh(std::size_t output, double center, double inverse) {
  const auto [first, count] = taps_[output];
  double* const exact = exact_.data();
  double sum = 0;
  for (int k = 0; k < count; ++k) {
    exact[k] = weight_at<kFilter>((first + k - center + 0.5) * inverse);
    sum += exact[k];
  }
  if (sum == 0) sum = 1;
  std::int32_t* const weights = weights_.data() + output * stride_;
  for (int k = 0; k < count; ++k) weights[k] = to_fixed(exact[k] / sum);
}

Coefficients::Taps Coefficients::operator[](int output) const noexcept {
  const auto entry = static_cast<std::size_t>(output);
  return {taps_[entry].first,
          std::span(weights_).subspan(entry * stride_, static_cast<std::size_t>(taps_[entry].count))};
}

}  // namespace leat::detail
