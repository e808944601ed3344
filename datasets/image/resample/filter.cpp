#include "leat/datasets/image/resample/filter.h"

#include <cmath>
#include <numbers>

namespace leat::detail {

namespace {

double sinc(double x) noexcept {
  if (x == 0.0) return 1.0;
  x *= std::numbers::pi;
  return std::sin(x) / x;
}

}  // namespace

template <>
double weight_at<Filter::bicubic>(double x) noexcept {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  if (x < 2.0) return (((x - 5.0) * x + 8.0) * x - 4.0) * a;
  return 0.0;
}

template <>
double weight_at<Filter::lanczos>(double x) noexcept {
  return x >= -3.0 && x < 3.0 ? sinc(x) * sinc(x / 3.0) : 0.0;
}

double support_of(Filter filter) noexcept {
  switch (filter) {
    case Filter::box:
      return 0.5;
    case Filter::bilinear:
      return 1.0;
    case Filter::bicubic:
      return 2.0;
    case Filter::lanczos:
      return 3.0;
  }
  return 0.0;
}

double weight_of(Filter filter, double x) noexcept {
  switch (filter) {
    case Filter::box:
      return weight_at<Filter::box>(x);
    case Filter::bilinear:
      return weight_at<Filter::bilinear>(x);
    case Filter::bicubic:
      return weight_at<Filter::bicubic>(x);
    case Filter::lanczos:
      return weight_at<Filter::lanczos>(x);
  }
  return 0.0;
}

}  // namespace leat::detail
