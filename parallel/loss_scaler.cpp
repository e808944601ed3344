#include "leat/parallel/loss_scaler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "leat/datasets/errors.h"
#include "leat/parallel/gradient_clipping.h"
#include "leat/parallel/reduce/gradient_kernels.h"

namespace leat {

using namespace detail;

namespace {

constexpr double kLargestScale = std::numeric_limits<float>::max();  // losses are f32 at least

void require(bool holds, const char* name, double value, const char* range) {
  if (!holds) throw ArgumentError(fmt::format("{} is {}; it must be {}", name, value, range));
}

void require_scale(const char* name, double scale) {
  require(scale >= 1 && scale <= kLargestScale, name, scale, "between 1 and the largest f32");
}

}  // namespace

LossScaler::LossScaler(const LossScalerOptions& options)
    : options_(options), state_{.scale = options.initial_scale} {
  require_scale("initial_scale", options.initial_scale);
  require(std::isfinite(options.growth_factor) && options.growth_factor > 1, "growth_factor",
          options.growth_factor, "above 1");
  require(options.backoff_factor > 0 && options.backoff_factor < 1, "backoff_factor", options.backoff_factor,
          "between 0 and 1");
  require(options.growth_interval > 0, "growth_interval", 0, "1 or more");
}

void LossScaler::update(bool overflow) {
  if (overflow) {
    const bool is_least = state_.scale == 1;
    state_ = {.scale = std::max(1.0, state_.scale * options_.backoff_factor)};
    if (is_least) {
      throw NonFiniteGradients(
          "gradients are infinite or NaN though the loss is not scaled: the loss or the model is to blame, "
          "not "
          "the scale");
    }
    return;
  }
  if (++state_.good_steps < options_.growth_interval) return;
  const double grown = state_.scale * options_.growth_factor;
  state_ = {.scale = grown <= kLargestScale ? grown : state_.scale};
}

void LossScaler::restore(const LossScalerState& state) {
  require_scale("the scale of the state", state.scale);
  // A state may come from a scaler with a longer interval: the next good step lets the scale grow then.
  state_ = state;
}

bool unscale_gradients(std::span<const TensorView> gradients, double scale) {
  if (!std::isfinite(scale) || scale <= 0)
    throw ArgumentError(
        fmt::format("the scale of the gradients is {}; it must be finite and above 0", scale));
  for (const TensorView& gradient : gradients) {
    if (!is_floating_point(gradient.dtype) || gradient.dtype == DType::f16) {
      throw ArgumentError(
          fmt::format("gradients of {} cannot be divided by the scale of the loss; train f32 copies of f16 "
                      "parameters",
                      name_of(gradient.dtype)));
    }
  }
  bool overflow = false;
  for (const TensorView& gradient : gradients) overflow |= !multiply(gradient, 1 / scale);
  return overflow;
}

}  // namespace leat
