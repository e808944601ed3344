#include "leat/parallel/gradient_clipping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leat/parallel/reduce/gradient_kernels.h"

namespace leat {

using namespace detail;

namespace {

double total(std::span<const TensorView> gradients, double scale) {
  double sum = 0;
  for (const TensorView& gradient : gradients) sum += sum_of_squares(gradient, scale);
  return sum;
}

}  // namespace

double gradient_norm(std::span<const TensorView> gradients) {
  constexpr double kLeastExactSum = 1e-280;  // below, squares may have lost bits
  const double sum = total(gradients, 1);
  if (std::isnan(sum) || (sum >= kLeastExactSum && std::isfinite(sum))) return std::sqrt(sum);
  double most = 0;
  for (const TensorView& gradient : gradients) most = std::max(most, largest_magnitude(gradient));
  if (most == 0 || std::isinf(most)) return most;
  // Bring the largest element near 1, so that squares neither overflow nor vanish.
  const int exponent = std::max(std::ilogb(most), -1000);
  return std::ldexp(std::sqrt(total(gradients, std::ldexp(1.0, -exponent))), exponent);
}

double clip_factor(double norm, double max_norm, bool error_if_nonfinite) {
  if (!(max_norm >= 0)) throw ArgumentError(fmt::format("max_norm is {}; it must be 0 or more", max_norm));
  if (error_if_nonfinite && !std::isfinite(norm)) {
    throw NonFiniteGradients(
        fmt::format("the norm of the gradients is {}; skip the step, or lower the loss or its scale", norm));
  }
  const double factor = max_norm / (norm + 1e-6);
  return factor > 1 ? 1 : factor;
}

double clip_gradient_norm(std::span<const TensorView> gradients, double max_norm, bool error_if_nonfinite) {
  const double norm = gradient_norm(gradients);
  const double factor = clip_factor(norm, max_norm, error_if_nonfinite);
  if (factor == 1) return norm;
  for (const TensorView& gradient : gradients) multiply(gradient, factor);
  return norm;
}

}  // namespace leat
