// Resampling filters, as Pillow defines them (src/libImaging/Resample.c).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace leat {

// All of them antialias: where the picture shrinks, the filter widens by the same factor.
enum class Filter : std::uint8_t {
  box,       // the mean of the source area
  bilinear,  // a triangle; torchvision's default
  bicubic,   // Keys' cubic with a = -0.5
  lanczos,   // sinc(x) sinc(x / 3) up to 3
};

std::string_view name_of(Filter filter) noexcept;

double support_of(Filter filter) noexcept;           // half the filter's width, in source pixels at scale 1
double weight_of(Filter filter, double x) noexcept;  // 0 outside of [-support, support]

// The filters one by one, for loops over many pixels.
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

}  // namespace leat
