/// \file
/// Mixed-precision training of LibTorch's modules on several ranks.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/scalar_tensor.h>

#include "leat/datasets/errors.h"
#include "leat/parallel/loss_scaler.h"
#include "leat/torch/distributed_data_parallel.h"

namespace leat::torch {

/// Scales losses for a DistributedDataParallel, in the terms of PyTorch's GradScaler:
///
///     leat::torch::GradScaler scaler{ddp};
///     for (auto& batch : batches) {
///       ddp.zero_grad();
///       scaler.scale(loss).backward();
///       scaler.unscale();                // only if gradients are clipped or looked at
///       ddp.clip_gradient_norm(1.0);
///       scaler.step(optimizer);          // on all ranks, or on none if a gradient of any rank is infinite or NaN
///       scaler.update();
///     }
///
/// All ranks call unscale(), step() and update() in the same steps. Parameters are f32, f64 or bf16, as with
/// autocasting; gradients of f16 are refused. Refers to the DistributedDataParallel, which must neither move nor end
/// before it.
class GradScaler {
 public:
  /// Begins with the initial scale. Throws ArgumentError for an option that is out of its range.
  explicit GradScaler(DistributedDataParallel& ddp, const LossScalerOptions& options = {})
      : ddp_(ddp), scaler_(options) {}

  /// Returns the loss times the scale. Losses of 16 bits become f32. Throws ArgumentError if update() was not called in
  /// the step before.
  ::at::Tensor scale(const ::at::Tensor& loss) const {
    if (is_unscaled_)
      throw ArgumentError("scale() was called after unscale() or step(): call update() at the end of a step");
    return ::at::mul(loss, ::at::scalar_tensor(scaler_.scale(), ::at::kFloat));
  }

  /// Divides the gradients by the scale, once in each step, before they are clipped or looked at. Returns whether they
  /// are finite on all ranks. Throws what DistributedDataParallel::unscale() throws, and ArgumentError if the gradients
  /// are unscaled already.
  bool unscale() {
    if (is_unscaled_) throw ArgumentError("unscale() was called a second time before update()");
    overflow_ = ddp_.unscale(scaler_.scale());
    is_unscaled_ = true;
    return !overflow_;
  }

  /// Calls unscale() if that was not done, and optimizer.step() if the gradients are finite on all ranks. Returns
  /// whether it called that. With several optimizers, call it for each. Throws what unscale() and the optimizer throw.
  template <class Optimizer>
  bool step(Optimizer& optimizer) {
    if (!is_unscaled_) unscale();
    if (!overflow_) optimizer.step();
    return !overflow_;
  }

  /// Adapts the scale, at the end of each step. Throws NonFiniteGradients for an overflow at a scale of 1, for which
  /// scaling is not to blame; a program may go on with the next step. Throws ArgumentError if neither unscale() nor
  /// step() was called in this step.
  void update() {
    if (!is_unscaled_) throw ArgumentError("update() was called before unscale() or step()");
    is_unscaled_ = false;
    scaler_.update(overflow_);
  }

  const LossScalerState& state() const noexcept { return scaler_.state(); }  ///< for checkpoints
  /// Continues where a scaler was that had this state; on all ranks. Throws ArgumentError for a state that no scaler
  /// can have.
  void restore(const LossScalerState& state) { scaler_.restore(state); }

 private:
  DistributedDataParallel& ddp_;
  LossScaler scaler_;
  bool is_unscaled_ = false;  // in this step
  bool overflow_ = false;
};

}  // namespace leat::torch
