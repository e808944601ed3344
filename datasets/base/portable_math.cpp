#include "leat/datasets/base/portable_math.h"

#include <cmath>
#include <limits>

// Only additions, products, divisions, and exact changes of the exponent, none of them fused (CMakeLists.txt has this
// file's options): IEEE 754 defines every bit of these.
namespace leat::detail {
namespace {

// ln 2 in two parts. The first has 32 significant bits, so its product with an exponent is exact.
constexpr double kLn2High = 0x1.62e42fee00000p-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;
constexpr double kLog2E = 0x1.71547652b82fep+0;

}  // namespace

// value = 2^e m with m in [sqrt(1/2), sqrt(2)); log m = 2 artanh s = 2 (s + s^3 / 3 + s^5 / 5 + ...) with
// s = (m - 1) / (m + 1), so |s| < 0.172, and 12 terms are enough.
double portable_log(double value) noexcept {
  int exponent = 0;
  double m = std::frexp(value, &exponent);
  if (m < kSqrtHalf) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1);
  const double square = s * s;
  double sum = 0;
  for (int term = 23; term >= 3; term -= 2) sum = (sum + 1.0 / term) * square;
  return exponent * kLn2High + (exponent * kLn2Low + (2 * s + 2 * s * sum));
}

// value = k ln 2 + r with |r| <= ln(2) / 2; the Taylor series of e^r up to r^13, times 2^k.
double portable_exp(double value) noexcept {
  if (value > 710) return std::numeric_limits<double>::infinity();
  if (value < -746) return 0;
  const double k = std::floor(value * kLog2E + 0.5);
  const double r = (value - k * kLn2High) - k * kLn2Low;
  double sum = 1;
  for (int term = 13; term >= 1; --term) sum = 1 + sum * r / term;
  return std::ldexp(sum, static_cast<int>(k));
}

}  // namespace leat::detail
