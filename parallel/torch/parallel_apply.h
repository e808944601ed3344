/// \file
/// Forward passes of several replicas of a LibTorch module at the same time.
#pragma once

#include <c10/core/Device.h>

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/torch/device_threads.h"
#include "leat/torch/scatter_gather.h"

namespace leat::torch {

/// Reports an exception in the forward pass of a replica.
class ReplicaError : public Error {
 public:
  /// Reports that replica `replica`, counted from 0, has thrown `cause`.
  ReplicaError(std::size_t replica, ::at::Device device, std::exception_ptr cause)
      : Error("replica " + std::to_string(replica) + " on " + device.str() + ": " + detail::text_of(cause)),
        replica_(replica),
        device_(device),
        cause_(std::move(cause)) {}

  std::size_t replica() const noexcept { return replica_; }            ///< index of the replica
  ::at::Device device() const noexcept { return device_; }             ///< its device
  const std::exception_ptr& cause() const noexcept { return cause_; }  ///< what was thrown

 private:
  std::size_t replica_;
  ::at::Device device_;
  std::exception_ptr cause_;
};

namespace detail {

template <class T>
inline constexpr bool is_tuple = false;
template <class... Ts>
inline constexpr bool is_tuple<std::tuple<Ts...>> = true;

// Calls forward() of a module with an input, or with all elements of a tuple.
template <class Module, class Input>
auto call_forward(Module& module, const Input& input) {
  if constexpr (is_tuple<Input>) {
    return std::apply([&module](const auto&... each) { return module.forward(each...); }, input);
  } else {
    return module.forward(input);
  }
}

// Runs replica i on inputs[i], on thread i.
template <class Replica, class Input>
auto apply_on(DeviceThreads& threads, const std::vector<Replica>& replicas, const std::vector<Input>& inputs,
              const std::vector<::at::Device>& devices) {
  using Output = decltype(call_forward(*replicas[0], inputs[0]));
  std::vector<std::optional<Output>> results(inputs.size());
  const auto errors = threads.run(
      inputs.size(), [&](std::size_t i) { results[i].emplace(call_forward(*replicas[i], inputs[i])); });
  if (const std::size_t i = first_error(errors); i < errors.size())
    throw ReplicaError(i, devices[i], errors[i]);
  std::vector<Output> outputs;
  for (std::optional<Output>& each : results) outputs.push_back(std::move(*each));
  return outputs;
}

}  // namespace detail

/// Returns replicas[i]->forward(inputs[i]) for each i, computed at the same time on a thread for each replica, as
/// torch.nn.parallel.parallel_apply does in Python. An input that is a std::tuple is the arguments of forward(): for
/// one argument that is a tuple, pass a tuple of that.
///
/// The threads have the caller's grad mode, inference mode, autocast and current streams; devices[i] is the current
/// device of thread i. Threads of the CPU share the number of LibTorch's threads that the caller has.
///
/// All threads have ended when it returns or throws. Throws ReplicaError for the first replica that has thrown, in the
/// order of devices; ArgumentError if the numbers of replicas, inputs and devices differ.
template <class Replica, class Input>
auto parallel_apply(const std::vector<Replica>& replicas, const std::vector<Input>& inputs,
                    const std::vector<::at::Device>& devices) {
  if (replicas.size() != inputs.size() || replicas.size() != devices.size())
    throw ArgumentError("parallel_apply: " + std::to_string(replicas.size()) + " replicas, " +
                        std::to_string(inputs.size()) + " inputs and " + std::to_string(devices.size()) +
                        " devices; the numbers must be equal");
  const std::vector<::at::Device> places = detail::numbered(devices);
  detail::DeviceThreads threads("parallel_apply", places, 0);
  return detail::apply_on(threads, replicas, inputs, places);
}

}  // namespace leat::torch
