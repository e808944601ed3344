#include "datasets/image/filter.h"

#include <cmath>

namespace leat {

namespace {

double bicubic(double x) noexcept {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  if (x < 2.0) return (((x - 5.0) * x + 8.0) * x - 4.0) * a;
  return 0.0;
}

}  // namespace

std::string_view name_of(Filter filter) noexcept {
  switch (filter) {
    case Filter::box:
      return "box";
    case Filter::bilinear:
      return "bilinear";
    case Filter::bicubic:
      return "bicubic";
  }
  return "?";
}

double support_of(Filter filter) noexcept {
  switch (filter) {
    case Filter::box:
      return 0.5;
    case Filter::bilinear:
      return 1.0;
    case Filter::bicubic:
      return 2.0;
  }
  return 0.0;
}

double weight_of(Filter filter, double x) noexcept {
  switch (filter) {
    case Filter::box:
      return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
    case Filter::bilinear:
      return std::abs(x) < 1.0 ? 1.0 - std::abs(x) : 0.0;
    case Filter::bicubic:
      return bicubic(x);
  }
  return 0.0;
}

}  // namespace leat
