/// \file
/// Data-parallel training of LibTorch's modules: the gradients of all ranks are averaged while backward() runs.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/parallel/communicator.h"
#include "leat/parallel/world.h"
#include "leat/torch/distributed_options.h"
#include "leat/torch/gradient_arithmetic.h"
#include "leat/torch/replica_state.h"

namespace leat::torch {

template <class Optimizer>
class ShardedOptimizer;

/// Trains one module on all ranks of a job, each on rows of its own:
///
///     leat::World world;  // the ranks of this job
///     leat::torch::DistributedDataParallel ddp{world, *net};
///     for (auto& batch : batches) {
///       ddp.zero_grad();
///       loss(net->forward(batch["image"]), batch["label"]).backward();  // all ranks have the averaged gradients now
///       optimizer.step();
///     }
///
/// The module stays what it was: it is called, saved and loaded under its own names. backward() reduces gradients in
/// buckets while earlier layers are still being differentiated, and returns when all ranks have the same. It throws
/// CommunicationError if a rank is lost; StepAbandoned if a rank gives up the step.
///
/// If backward() throws anything else, the other ranks wait for this one until it calls abandon_step(). Before that,
/// the next backward pass and the other members that need all ranks throw ArgumentError.
///
/// Gradients lie in memory that the communicator reduces without a copy. Optimizers may set them to zero, or undefined
/// as zero_grad() does, which is faster.
///
/// A module must have all of its parameters, on one device, when it is wrapped. Its forward pass may use a parameter
/// several times. Re-entrant backward passes (checkpointing) are run by backward(). Not for sparse gradients.
///
/// One thread at a time uses an object and runs its backward passes. A communicator that it is given outlives it. No
/// tensor that shares memory with a gradient may outlive it, except the gradients of the parameters themselves.
class DistributedDataParallel {
 public:
  /// Verifies that all ranks have the same parameters, and copies the parameters and buffers of rank 0 to all ranks.
  /// Throws ArgumentError for a parameter that cannot be reduced, naming it; CommunicationError if the ranks differ.
  DistributedDataParallel(Communicator& communicator, ::torch::nn::Module& module,
                          const DistributedOptions& options = {})
      : state_(std::make_unique<detail::ReplicaState>(communicator, module, options)) {}

  /// The same, with a communicator of its own over all ranks of the world, on the device of the module's parameters.
  /// Also throws what World::make_communicator() throws.
  DistributedDataParallel(const World& world, ::torch::nn::Module& module,
                          const DistributedOptions& options = {})
      : own_communicator_(world.make_communicator(device_holding(module))),
        state_(std::make_unique<detail::ReplicaState>(*own_communicator_, module, options)) {}

  /// Takes over what `other` wraps.
  DistributedDataParallel(DistributedDataParallel&& other) noexcept = default;
  /// Stops reducing the gradients of what this object wraps, and takes over what `other` wraps.
  DistributedDataParallel& operator=(DistributedDataParallel&& other) noexcept {
    state_ = std::move(other.state_);  // before the communicator, which it uses
    own_communicator_ = std::move(other.own_communicator_);
    return *this;
  }
  /// Stops reducing gradients. The parameters keep theirs.
  ~DistributedDataParallel() = default;

  /// Stops reducing gradients while it exists, so that those of several backward passes add up:
  ///
  ///     {
  ///       const auto local = ddp.no_sync();
  ///       loss(first).backward();
  ///     }
  ///     loss(second).backward();  // reduces the sum of both
  ///
  /// Must not outlive the object that made it.
  class [[nodiscard]] NoSync {
   public:
    NoSync(const NoSync&) = delete;
    NoSync& operator=(const NoSync&) = delete;
    /// Reduces again, unless another NoSync exists.
    ~NoSync() { --depth_; }

   private:
    friend class DistributedDataParallel;
    explicit NoSync(int& depth) noexcept : depth_(++depth) {}
    int& depth_;
  };
  /// Returns an object that stops reducing while it exists.
  NoSync no_sync() { return NoSync(state_->no_sync_depth); }

  /// Makes the gradients undefined, so that the next backward pass writes them without adding to zeros.
  void zero_grad() {
    for (detail::Trained& each : state_->parameters) {
      each.value.mutable_grad().reset();
      each.is_used = false;
    }
  }

  /// For Averaging::rows: states that the next backward passes of this rank are over `rows` rows. All ranks call it,
  /// before the backward pass; it waits for them. Returns the sum over all ranks. A rank without rows calls
  /// skip_backward() then. Throws ArgumentError for another Averaging, or if no rank has rows; CommunicationError.
  std::size_t set_rows(std::size_t rows) {
    if (state_->options.averaging != Averaging::rows)
      throw ArgumentError("set_rows() is for DistributedOptions::averaging == Averaging::rows");
    state_->require_between_passes();
    const std::size_t all_rows = state_->reducer->global_rows(rows);
    state_->weight = exact_loss_weight(rows, all_rows);
    return all_rows;
  }

  /// Does what loss.backward() does, for passes that may be re-entrant, as with checkpointing: reduces gradients when
  /// the outer pass has ended, not when an inner one has. If a parameter gets several gradients in a pass, as in a
  /// layer that is checkpointed twice, DistributedOptions::static_graph is needed, too.
  void backward(const ::at::Tensor& loss) { state_->run_backward(loss); }

  /// Takes part in the backward pass of the other ranks, with gradients of zero: for a rank that has no batch left.
  /// With DistributedOptions::static_graph, throws ArgumentError before the first pass, which all ranks run.
  void skip_backward() {
    state_->require_between_passes();
    if (state_->is_learning())
      throw ArgumentError(
          "with static_graph, the first backward pass is run on all ranks: skip_backward() cannot be it");
    state_->end_pass(false);
  }

  /// Gives up this step on all ranks: call it instead of, or after an exception in, a backward pass that was not run to
  /// its end. Every rank, this one too, throws StepAbandoned. On GPUs without find_unused_parameters, where ranks do
  /// not wait for each other at the end of a pass, it aborts the communicator: every rank throws CommunicationError.
  void abandon_step() { state_->end_pass(true); }

  /// Multiplies the gradients of all parameters by one factor, such that their norm is at most `max_norm`, as PyTorch's
  /// clip_grad_norm_() does, and returns the norm that they had: the 2-norm, in f64. All ranks have the same gradients
  /// after a pass, so all get the same norm and gradients without communication; on GPUs, if these are of one model.
  /// Waits for GPUs. Throws ArgumentError if `max_norm` is negative or NaN; NonFiniteGradients if `error_if_nonfinite`
  /// is set and the norm is infinite or NaN, with gradients as they were.
  double clip_gradient_norm(double max_norm, bool error_if_nonfinite = false) {
    return detail::clip(state_->reduced_gradients(), max_norm, error_if_nonfinite);
  }

  /// Divides the gradients of all parameters by `scale`, and returns whether one of them, on any rank, is infinite or
  /// NaN; all ranks get the same answer. All ranks call it between two passes, and wait for each other. GradScaler
  /// calls it. Throws what unscale_gradients() and GradientReducer::agree_on_overflow() throw.
  bool unscale(double scale) {
    const bool overflow = detail::unscale(state_->reduced_gradients(), scale);
    return state_->reducer->agree_on_overflow(overflow, scale);
  }

  /// Copies the buffers of rank 0 to all ranks. All ranks call it. Throws CommunicationError.
  void sync_buffers() {
    state_->require_between_passes();
    state_->copy_buffers();
  }

  /// Returns the number of buckets, each of which is one reduction.
  std::size_t bucket_count() const noexcept { return state_->reducer->bucket_count(); }

 private:
  template <class Optimizer>
  friend class ShardedOptimizer;
  static Device& device_holding(const ::torch::nn::Module& module);

  std::unique_ptr<Communicator> own_communicator_;  // null: the caller's
  std::unique_ptr<detail::ReplicaState> state_;
};

inline Device& DistributedDataParallel::device_holding(const ::torch::nn::Module& module) {
  for (const ::at::Tensor& each : module.parameters()) {
    if (each.defined() && each.is_cuda()) return cuda_device(each.device().index());
  }
  return host_device();
}

}  // namespace leat::torch
