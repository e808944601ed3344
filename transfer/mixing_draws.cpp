#include "leat/transfer/mixing_draws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leat/datasets/base/portable_math.h"
#include "leat/datasets/errors.h"
#include "leat/loader/samplers/derived_seed.h"

// Products and sums must not be fused: CMakeLists.txt has this file's options.
namespace leat {

using namespace detail;

namespace {

constexpr double kMinAlpha = 1e-6;
constexpr double kMaxAlpha = 1e6;

// Returns a number in (0, 1), one of 2^52 that lie symmetrically to 1/2.
double draw_open_unit(Rng& rng) noexcept {
  return (static_cast<double>(rng.bits64() >> 12) + 0.5) * 0x1p-52;
}

// Jöhnk: x = u^(1/alpha) and y = v^(1/alpha) are drawn until x + y <= 1; then x / (x + y) is the result. Logarithms are
// used because both powers vanish for a small alpha: log(x + y) = log(max) + log(1 + min / max).
double draw_johnk(Rng& rng, double alpha) noexcept {
  while (true) {
    const double log_x = portable_log(draw_open_unit(rng)) / alpha;
    const double log_y = portable_log(draw_open_unit(rng)) / alpha;
    const double log_sum = std::max(log_x, log_y) + portable_log(1 + portable_exp(-std::abs(log_x - log_y)));
    if (log_sum <= 0) return 1 / (1 + portable_exp(log_y - log_x));
  }
}

// Cheng's algorithm BB for a = b = alpha, with his names and constants: 1.3862944 is log 4, 2.609438 is 1 + log 5.
double draw_cheng(Rng& rng, double alpha) noexcept {
  const double beta = 1 / std::sqrt(alpha);
  const double gamma = alpha + 1 / beta;
  while (true) {
    const double u1 = draw_open_unit(rng);
    const double u2 = draw_open_unit(rng);
    const double v = beta * portable_log(u1 / (1 - u1));
    const double w = alpha * portable_exp(v);
    const double z = u1 * u1 * u2;
    const double r = gamma * v - 1.3862943611198906;
    const double s = alpha + r - w;
    const bool is_taken = s + 2.6094379124341003 >= 5 * z || s >= portable_log(z) ||
                          r + 2 * alpha * portable_log(2 * alpha / (alpha + w)) >= portable_log(z);
    if (is_taken) return w / (alpha + w);
  }
}

}  // namespace

Rng mixing_rng(std::uint64_t seed, std::uint64_t epoch, std::uint64_t batch) noexcept {
  return Rng(derived_seed(seed, SeedUse::batch_mixing), epoch, batch);
}

double draw_beta(Rng& rng, double alpha) {
  const bool is_usable = alpha >= kMinAlpha && alpha <= kMaxAlpha;
  if (!is_usable) throw ArgumentError(fmt::format("alpha is {}; it must be within [1e-6, 1e6]", alpha));
  return alpha <= 1 ? draw_johnk(rng, alpha) : draw_cheng(rng, alpha);
}

MixUpDraw draw_mixup(Rng& rng, double alpha) {
  return {draw_beta(rng, alpha)};
}

CutMixDraw draw_cutmix(Rng& rng, double alpha, std::size_t height, std::size_t width) {
  if (height == 0 || width == 0)
    throw ArgumentError(fmt::format("CutMix needs images with pixels, not {} x {}", width, height));
  const double half = 0.5 * std::sqrt(1 - draw_beta(rng, alpha));
  const auto x = static_cast<std::size_t>(rng.below(width));
  const auto y = static_cast<std::size_t>(rng.below(height));
  const auto half_width = static_cast<std::size_t>(half * static_cast<double>(width));
  const auto half_height = static_cast<std::size_t>(half * static_cast<double>(height));
  return {{x - std::min(x, half_width), y - std::min(y, half_height), std::min(x + half_width, width),
           std::min(y + half_height, height)}};
}

}  // namespace leat
