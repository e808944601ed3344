#include "leat/parallel/reduce/gradient_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "leat/datasets/base/half_math.h"
#include "leat/datasets/errors.h"

namespace leat::detail {
namespace {

constexpr std::size_t kLanes =
    8;  // sums that are independent of each other, so that the loops become vectors

template <class T>
double exact(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(value);
  } else {
    return static_cast<double>(widen(value));
  }
}

template <class T>
T rounded(double value) {
  if constexpr (std::is_same_v<T, Half>) {
    return narrow_to_half(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return narrow_to_bfloat16(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
double squares(const T* from, std::size_t count, double scale) {
  std::array<double, kLanes> sums{};
  const auto add = [&](std::size_t i, std::size_t lane) {
    const double value = scale * exact(from[i]);
    sums[lane] += value * value;
  };
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) add(i + lane, lane);
  }
  for (std::size_t lane = 0; i + lane < count; ++lane) add(i + lane, lane);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

template <class T>
double largest(const T* from, std::size_t count) {
  double most = 0;
  for (std::size_t i = 0; i < count; ++i) most = std::max(most, std::abs(exact(from[i])));
  return most;
}

template <class T>
bool multiply_all(T* values, std::size_t count, double factor) {
  int others = 0;  // elements that are not finite
  for (std::size_t i = 0; i < count; ++i) {
    const double value = exact(values[i]);
    others |= std::isfinite(value) ? 0 : 1;
    values[i] = rounded<T>(value * factor);
  }
  return others == 0;
}

// Calls run(first element) with the type of the elements.
template <class Run>
auto dispatch(const TensorView& values, Run&& run) {
  switch (values.dtype) {
    case DType::f16:
      return run(static_cast<Half*>(values.data));
    case DType::bf16:
      return run(static_cast<BFloat16*>(values.data));
    case DType::f32:
      return run(static_cast<float*>(values.data));
    case DType::f64:
      return run(static_cast<double*>(values.data));
    default:
      throw ArgumentError(fmt::format("gradients of {} have no norm and no scale", name_of(values.dtype)));
  }
}

}  // namespace

bool is_floating_point(DType dtype) noexcept {
  return dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f32 || dtype == DType::f64;
}

double sum_of_squares(const TensorView& values, double scale) {
  return dispatch(values, [&](const auto* from) { return squares(from, values.count(), scale); });
}

double largest_magnitude(const TensorView& values) {
  return dispatch(values, [&](const auto* from) { return largest(from, values.count()); });
}

bool multiply(const TensorView& values, double factor) {
  return dispatch(values, [&](auto* from) { return multiply_all(from, values.count(), factor); });
}

}  // namespace leat::detail
