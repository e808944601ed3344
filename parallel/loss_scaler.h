/// \file
/// Scaling of the loss, so that gradients of 16 bits neither vanish nor overflow.
#pragma once

#include <cstddef>
#include <span>

#include "leat/datasets/export.h"
#include "leat/datasets/tensor_view.h"

namespace leat {

/// Options of a LossScaler. The defaults are those of PyTorch's GradScaler.
struct LEAT_EXPORT LossScalerOptions {
  double initial_scale = 65536;        ///< the first scale; 1 or more
  double growth_factor = 2;            ///< multiplies the scale after growth_interval good steps; above 1
  double backoff_factor = 0.5;         ///< multiplies the scale after an overflow; between 0 and 1
  std::size_t growth_interval = 2000;  ///< number of consecutive steps without an overflow; 1 or more
};

/// The state of a LossScaler, for checkpoints.
struct LEAT_EXPORT LossScalerState {
  double scale = 65536;        ///< LossScaler::scale()
  std::size_t good_steps = 0;  ///< number of steps without an overflow since the scale changed
};

/// Chooses the factor by which the loss is multiplied before the backward pass, as PyTorch's GradScaler does: it grows
/// until gradients overflow. Gradients are divided by it before the optimizer uses them, and a step with an overflow is
/// skipped:
///
///     LossScaler scaler;
///     for each step:
///       backward pass of loss * scaler.scale(); reducer.finish(stream)
///       const bool overflow = reducer.unscale(scaler.scale(), stream);  // the same on all ranks
///       if (!overflow) optimizer step
///       scaler.update(overflow);
///
/// Every rank has a scaler of its own. They stay equal if they began equal, because all ranks have the same overflows;
/// GradientReducer::unscale() verifies that. leat::torch::GradScaler does this for LibTorch.
///
/// The scale is at least 1. Gradients that overflow at a scale of 1 do not overflow because of it, so update() throws
/// then; a program may catch that and go on with the next step. One thread at a time uses a scaler.
class LEAT_EXPORT LossScaler {
 public:
  /// Begins with the initial scale. Throws ArgumentError for an option that is out of its range.
  explicit LossScaler(const LossScalerOptions& options = {});

  double scale() const noexcept { return state_.scale; }  ///< the factor for the next loss

  /// Tells the scaler whether the gradients of a step overflowed, and adapts the scale for the next one. The scale does
  /// not grow beyond the largest f32. Throws NonFiniteGradients for an overflow at a scale of 1, and counts it.
  void update(bool overflow);

  const LossScalerState& state() const noexcept { return state_; }  ///< what restore() takes
  /// Continues where the scaler was that had this state; on all ranks. Throws ArgumentError for a state that no scaler
  /// can have, and changes nothing then.
  void restore(const LossScalerState& state);

 private:
  LossScalerOptions options_;
  LossScalerState state_;
};

/// Divides all elements by `scale`, and returns whether an element is infinite or NaN. The gradients are bf16, f32 or
/// f64 in host memory. Throws ArgumentError for others: f16 would lose the bits that scaling has saved; keep f32 copies
/// of such parameters, and train these. Also throws ArgumentError for a scale that is not finite or not above 0.
LEAT_EXPORT bool unscale_gradients(std::span<const TensorView> gradients, double scale);

}  // namespace leat
