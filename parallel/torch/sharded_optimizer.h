/// \file
/// Optimizers whose state is divided among the ranks.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/parallel/parameter_shards.h"
#include "leat/torch/distributed_data_parallel.h"
#include "leat/torch/dtype.h"

namespace leat::torch {

/// Updates the parameters of a DistributedDataParallel with an optimizer of LibTorch's on each rank, which has the
/// state of this rank's share of the parameters only (ZeRO, stage 1):
///
///     leat::torch::ShardedOptimizer<::torch::optim::Adam> optimizer{ddp, ::torch::optim::AdamOptions(1e-3)};
///     for each step:
///       ddp.zero_grad();
///       loss.backward();   // all ranks have the reduced gradients
///       optimizer.step();  // each rank updates its share, and all get the new values
///
/// For optimizers that treat each parameter by itself: SGD, Adam, AdamW, RMSprop, Adagrad, but not LBFGS. All ranks
/// then have the parameters that one optimizer over all of them would give. The DistributedDataParallel must neither
/// move nor end before it, and its parameters keep their memory.
template <class Optimizer>
class ShardedOptimizer {
 public:
  /// Divides the parameters. All ranks call it, and wait for each other. Throws CommunicationError.
  template <class Options>
  ShardedOptimizer(DistributedDataParallel& ddp, const Options& options) : state_(*ddp.state_) {
    state_.require_between_passes();
    std::vector<Parameter> described;
    for (const detail::Trained& each : state_.parameters)
      described.push_back({.name = each.name,
                           .value = {.data = each.value.data_ptr(),
                                     .dtype = *dtype_of_tensor(each.value.scalar_type()),
                                     .shape = Shape(each.value.sizes().begin(), each.value.sizes().end())}});
    for (const Parameter& each : described) addresses_.push_back(each.value.data);
    shards_ = std::make_unique<ParameterShards>(state_.communicator, std::move(described));
    std::vector<::at::Tensor> share;
    for (const std::size_t i : shards_->owned()) share.push_back(state_.parameters[i].value);
    if (!share.empty()) optimizer_ = std::make_unique<Optimizer>(std::move(share), options);
  }

  /// Updates this rank's share, and gives all ranks the new values. All ranks call it. Throws ArgumentError if a
  /// backward pass was not reduced, and if a parameter has moved, for example by Module::to(); what the optimizer
  /// throws; CommunicationError.
  void step() {
    state_.require_between_passes();
    for (std::size_t i = 0; i < addresses_.size(); ++i) {
      if (state_.parameters[i].value.data_ptr() != addresses_[i])
        throw ArgumentError("\"" + state_.parameters[i].name +
                            "\" has other memory than when it was divided");
    }
    if (optimizer_) optimizer_->step();
    shards_->exchange(state_.stream);
    if (!state_.own_stream.empty()) state_.stream.synchronize();
  }

  /// Returns the optimizer of this rank's share, for its options and for checkpoints, of which each rank writes its
  /// own; null if there are more ranks than parameters and this rank has none.
  Optimizer* local() noexcept { return optimizer_.get(); }
  /// Returns how the parameters are divided, in the order of the module's parameters that require gradients.
  const ParameterShards& shards() const noexcept { return *shards_; }

 private:
  detail::ReplicaState& state_;
  std::vector<const void*> addresses_{};
  std::unique_ptr<ParameterShards> shards_{};
  std::unique_ptr<Optimizer> optimizer_{};
};

}  // namespace leat::torch
