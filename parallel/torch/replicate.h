/// \file
/// Copies of a LibTorch module on several devices, whose gradients flow back into the module.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <c10/core/Device.h>
#include <c10/core/StreamGuard.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/grad_mode.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/torch/dataset.h"
#include "leat/torch/device_threads.h"
#include "leat/torch/scatter_gather.h"

namespace leat::torch {

namespace detail {

template <class M>
const std::shared_ptr<M>& pointer_to(const std::shared_ptr<M>& module) {
  return module;
}
template <class M>
const std::shared_ptr<M>& pointer_to(const ::torch::nn::ModuleHolder<M>& module) {
  return module.ptr();
}

// Throws ArgumentError if a parameter or buffer is not on the device.
inline void expect_on(const ::torch::nn::Module& module, ::at::Device device) {
  const auto check = [device](const auto& tensors) {
    for (const auto& each : tensors) {
      if (each.value().device() == device) continue;
      throw ArgumentError("\"" + each.key() + "\" is on " + each.value().device().str() +
                          ", but the module must be on the first of its devices, " + device.str());
    }
  };
  check(module.named_parameters());
  check(module.named_buffers());
}

// Adds up the gradients of one parameter's copies, in their order, on the parameter's device.
class SumOfGradients final : public ::torch::autograd::Node {
 public:
  explicit SumOfGradients(const ::at::Tensor& parameter)
      : Node(::torch::autograd::edge_list{::torch::autograd::impl::gradient_edge(parameter)}),
        device_(parameter.device()) {}

  ::torch::autograd::variable_list apply(::torch::autograd::variable_list&& gradients) override {
    ::at::Tensor sum;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (!gradients[i].defined()) continue;  // the copy was not used
      const ::c10::StreamGuard producer(input_metadata(i).stream());
      const ::at::Tensor gradient = moved(gradients[i], device_);
      sum = sum.defined() ? sum + gradient : gradient;
    }
    return {sum};
  }

 private:
  const ::at::Device device_;
};

// The replicas of a module, which is the first of them. The others are clones.
template <class M>
class ReplicaSet {
 public:
  // Throws ArgumentError if the module is not on devices[0], and c10::Error if it cannot be cloned.
  ReplicaSet(const std::shared_ptr<M>& module, std::vector<::at::Device> devices)
      : devices_(std::move(devices)), replicas_{module} {
    expect_on(*module, devices_.at(0));
    const SeededGenerator kept(0);  // clones draw random numbers before they get their parameters
    for (std::size_t i = 1; i < devices_.size(); ++i) {
      auto replica = std::dynamic_pointer_cast<M>(module->clone(devices_[i]));
      if (replica == nullptr) throw ArgumentError("the module's clone() returns a module of another type");
      add(std::move(replica));
    }
  }

  // Copies parameters and buffers of the module to the first `count` replicas, with which of its modules are being
  // trained, and lets gradients of the replicas' parameters flow back, if the grad mode is enabled.
  void refresh(std::size_t count) {
    const bool is_differentiated = ::at::GradMode::is_enabled();
    for (Copied& each : parameters_) {
      copy(each, count);
      link(each, count, is_differentiated);
    }
    for (Copied& each : buffers_) copy(each, count);
    const auto modes = replicas_[0]->modules();
    for (std::size_t i = 1; i < count; ++i) {
      const auto copies = replicas_[i]->modules();
      for (std::size_t k = 0; k < copies.size(); ++k) {  // parents first: train() also sets the children
        if (copies[k]->is_training() != modes[k]->is_training()) copies[k]->train(modes[k]->is_training());
      }
    }
  }

  const std::vector<std::shared_ptr<M>>& replicas() const noexcept { return replicas_; }
  const std::vector<::at::Device>& devices() const noexcept { return devices_; }

 private:
  struct Copied {
    std::string name;
    ::at::Tensor original;
    std::vector<::at::Tensor>
        copies{};  // of replica 1, 2, ...; undefined where it is another name of an earlier one
  };

  void add(std::shared_ptr<M> replica) {
    add_tensors(parameters_, replicas_[0]->named_parameters(), replica->named_parameters());
    add_tensors(buffers_, replicas_[0]->named_buffers(), replica->named_buffers());
    if (replica->modules().size() != replicas_[0]->modules().size())
      throw ArgumentError("the module's clone() returns a module with other children");
    for (const Copied& each : parameters_) {
      if (each.copies.back().defined()) each.copies.back().set_requires_grad(false);
    }
    replicas_.push_back(std::move(replica));
  }

  template <class Named>
  static void add_tensors(std::vector<Copied>& all, const Named& originals, const Named& copies) {
    if (all.empty()) {
      for (const auto& each : originals) all.push_back({.name = each.key(), .original = each.value()});
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      const ::at::Tensor* const copy = copies.find(all[i].name);
      if (copy == nullptr || copies.size() != all.size())
        throw ArgumentError("the module's clone() has other parameters or buffers: \"" + all[i].name + "\"");
      const bool is_known =
          std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i),
                      [copy](const Copied& each) { return each.copies.back().is_same(*copy); });
      all[i].copies.push_back(is_known ? ::at::Tensor() : *copy);
    }
  }

  // Copies to memory that shares no version with the replica's tensor: what was saved by an earlier forward pass has
  // the same values unless the module was changed, which its own version tells.
  void copy(Copied& tensor, std::size_t count) const {
    const ::at::NoGradGuard no_grad;
    if (tensor.original.device() != devices_[0])
      throw ArgumentError("\"" + tensor.name + "\" is on " + tensor.original.device().str() +
                          ", but was on " + devices_[0].str() + " when the replicas were made");
    for (std::size_t i = 0; i + 1 < count; ++i) {
      const ::at::Tensor& copy = tensor.copies[i];
      if (!copy.defined()) continue;
      if (copy.sizes() != tensor.original.sizes() || copy.scalar_type() != tensor.original.scalar_type())
        throw ArgumentError("\"" + tensor.name +
                            "\" has changed its shape or dtype since the replicas were made");
      copy.variable_data().copy_(tensor.original, is_ordered(devices_[0], devices_[i + 1]));
    }
  }

  static void link(Copied& parameter, std::size_t count, bool is_differentiated) {
    // Nothing is recorded then, and graphs of earlier passes may still refer to the copies.
    if (!is_differentiated) return;
    std::shared_ptr<::torch::autograd::Node> sum;
    if (parameter.original.requires_grad()) sum = std::make_shared<SumOfGradients>(parameter.original);
    for (std::size_t i = 0; i + 1 < count; ++i) {
      if (!parameter.copies[i].defined()) continue;
      if (sum) {
        ::torch::autograd::set_history(parameter.copies[i], sum);
      } else {
        ::torch::autograd::impl::set_gradient_edge(parameter.copies[i], {});
      }
    }
  }

  std::vector<::at::Device> devices_;
  std::vector<std::shared_ptr<M>> replicas_;
  std::vector<Copied> parameters_{}, buffers_{};
};

}  // namespace detail

/// Makes one replica of a module on each device, as torch.nn.parallel.replicate does in Python. The first is the module
/// itself, which must be on devices[0]; the others are clones. Gradients of the replicas' parameters flow back to the
/// module's own, if the grad mode is enabled: their `.grad` is the sum over all replicas after backward().
///
/// `module` is a std::shared_ptr to a module that derives from torch::nn::Cloneable, or a holder such as
/// torch::nn::Sequential. It costs a copy of the module per device: DataParallel makes replicas once. The values are
/// those of the moment: make new replicas after the module has changed. Devices may repeat.
///
/// Returns std::shared_ptrs. Throws ArgumentError if there are no devices or the module is elsewhere; c10::Error if the
/// module cannot be cloned.
template <class Module>
auto replicate(const Module& module, const std::vector<::at::Device>& devices) {
  if (devices.empty()) throw ArgumentError("replicate: there are no devices");
  detail::ReplicaSet set(detail::pointer_to(module), detail::numbered(devices));
  set.refresh(devices.size());
  return set.replicas();
}

}  // namespace leat::torch
