// Resampling filters, as Pillow defines them (src/libImaging/Resample.c).
#pragma once

#include <algorithm>
#include <cmath>

#include "leat/datasets/resampling.h"

namespace leat::detail {

double support_of(Filter filter) noexcept;           // half the filter's width, in source pixels at scale 1
double weight_of(Filter filter, double x) noexcept;  // 0 outside of [-support, support]

// The filters as separate templates, for loops over many pixels.
template <Filter>
double weight_at(double x) noexcept;

template <>
inline double weight_at<Filter::box>(double x) noexcept {
  return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
}

template <>
inline double weight_at<Filter::bilinear>(double x) noexcept {
  return std::max(1.0 - std::abs(x), 0.0);
}

template <>
double weight_at<Filter::bicubic>(double x) noexcept;

template <>
double weight_at<Filter::lanczos>(double x) noexcept;

}  // namespace leat::detail
