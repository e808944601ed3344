/// \file
/// Data parallelism within one process: a LibTorch module computes each batch on several devices at once.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <torch/nn/pimpl.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/torch/device_threads.h"
#include "leat/torch/parallel_apply.h"
#include "leat/torch/replicate.h"
#include "leat/torch/scatter_gather.h"

namespace leat::torch {

/// Options of a DataParallel.
struct DataParallelOptions {
  /// Where results are joined; devices[0], if it is not set.
  std::optional<::at::Device> output_device{};
  /// How many of LibTorch's threads each replica on the CPU uses in its forward pass. With 0, replicas on the CPU share
  /// the number that LibTorch has when the object is made.
  int intra_op_threads = 0;
};

/// Runs a module on several devices at once, each on a part of every batch:
///
///     leat::torch::DataParallel parallel{net, {{at::kCUDA, 0}, {at::kCUDA, 1}}};
///     loss(parallel.forward(images), labels).backward();  // net has the gradients of the whole batch
///     optimizer.step();                                   // of net's parameters
///
/// forward() divides the batch as scatter() does, runs a replica of the module on each device, and joins the results as
/// gather() does. The module itself is the first replica, and stays what it was: its parameters get the sum of all
/// gradients by the end of backward(), however many passes there are between two steps, and its buffers, such as the
/// running statistics of batch normalization, are those that are kept. Frozen, shared and unused parameters are what
/// they are without DataParallel. Replicas are made once, and get the module's parameters, buffers and modes (training
/// or evaluation, for each of its modules) before each forward pass. Other members of the module are copied when the
/// object is made.
///
/// The module is on devices[0], and derives from torch::nn::Cloneable, as all of LibTorch's do. Without devices, or
/// with one, it runs on the calling thread, and nothing is copied that is in its place. Devices may repeat: {at::kCPU,
/// at::kCPU} makes two replicas on the CPU, for tests of a program that is meant for GPUs. LibTorch runs the backward
/// pass of all replicas on the CPU on the thread that calls backward(); GPUs run theirs at the same time.
///
/// One thread at a time uses an object and its module. Forked processes may destroy, but not use it.
template <class M>
class DataParallel {
 public:
  /// Makes the replicas. Throws ArgumentError if the module is not on devices[0], naming a parameter; c10::Error if it
  /// cannot be cloned.
  DataParallel(std::shared_ptr<M> module, const std::vector<::at::Device>& devices,
               const DataParallelOptions& options = {})
      : module_(std::move(module)) {
    if (devices.empty()) return;
    set_ = std::make_unique<detail::ReplicaSet<M>>(module_, detail::numbered(devices));
    output_device_ = detail::numbered({options.output_device.value_or(devices[0])})[0];
    if (devices.size() > 1)
      threads_ =
          std::make_unique<detail::DeviceThreads>("DataParallel", set_->devices(), options.intra_op_threads);
  }
  /// The same for a holder, such as torch::nn::Sequential.
  DataParallel(const ::torch::nn::ModuleHolder<M>& module, const std::vector<::at::Device>& devices,
               const DataParallelOptions& options = {})
      : DataParallel(module.ptr(), devices, options) {}

  /// Returns what module.forward(inputs...) returns for the whole batch, on the output device. Inputs are what
  /// scatter() divides, and results what gather() joins.
  ///
  /// Throws ReplicaError for the first replica that has thrown, in the order of devices, after all have ended;
  /// ArgumentError for a batch that cannot be divided, and if the module's tensors have changed shape, dtype or device.
  template <class... Inputs>
  auto forward(const Inputs&... inputs) {
    using Output = std::remove_cvref_t<decltype(module_->forward(inputs...))>;
    if (set_ == nullptr) return Output(module_->forward(inputs...));
    if (threads_ == nullptr) {
      const ::at::Device device = set_->devices()[0];
      return detail::all_moved(Output(module_->forward(detail::all_moved(inputs, device)...)),
                               output_device_);
    }
    const auto chunks = scatter(std::tuple<Inputs...>(inputs...), set_->devices());
    set_->refresh(chunks.size());
    return gather(detail::apply_on(*threads_, set_->replicas(), chunks, set_->devices()), output_device_);
  }

  /// Returns the module, which is the first replica.
  const std::shared_ptr<M>& module() const noexcept { return module_; }

 private:
  std::shared_ptr<M> module_;
  std::unique_ptr<detail::ReplicaSet<M>> set_{};      // null: no devices
  std::unique_ptr<detail::DeviceThreads> threads_{};  // null: at most one device
  ::at::Device output_device_{::at::kCPU};
};

/// Runs a module on a batch that is divided among devices, and returns the joined results on `output_device`, which is
/// devices[0] if it is not set. Gradients flow back to the module and the batch. Without devices it is
/// module->forward(batch); with one, nothing is copied that is in its place. A batch that is a std::tuple is the
/// arguments of forward().
///
/// It makes replicas anew in each call, as LibTorch's torch::nn::parallel::data_parallel does: to train, make a
/// DataParallel. `module` and `devices` are as there, and so are exceptions.
template <class Module, class Batch>
auto data_parallel(const Module& module, const Batch& batch, const std::vector<::at::Device>& devices = {},
                   std::optional<::at::Device> output_device = std::nullopt) {
  DataParallel parallel(detail::pointer_to(module), devices, {.output_device = output_device});
  if constexpr (detail::is_tuple<Batch>) {
    return std::apply([&parallel](const auto&... each) { return parallel.forward(each...); }, batch);
  } else {
    return parallel.forward(batch);
  }
}

}  // namespace leat::torch
