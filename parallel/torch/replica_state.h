/// \file
/// The implementation of leat::torch::DistributedDataParallel: gradients, hooks and buffers of one rank's module.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/scalar_tensor.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/parallel/communicator.h"
#include "leat/parallel/gradient_reducer.h"
#include "leat/torch/batch.h"
#include "leat/torch/distributed_options.h"
#include "leat/torch/dtype.h"
#include "leat/torch/module_buffers.h"

namespace leat::torch::detail {

/// A parameter that is trained.
struct Trained {
  std::string name;
  ::at::Tensor value;
  ::at::Tensor gradient{};                                 // in the reducer's memory
  std::shared_ptr<::torch::autograd::Node> accumulator{};  // the parameter itself refers to it only weakly
  std::uintptr_t hook = 0;
  bool is_used = false;         // since the last pass that was reduced
  bool is_used_by_any = false;  // of a static graph: by any rank in each pass
  std::size_t firings = 0;      // of the hook, in this pass
  std::size_t expected = 0;     // firings in each pass, of a static graph
  std::size_t last_firing = 0;  // when the hook fired last in the first pass of a static graph
};

/// The implementation of DistributedDataParallel, which documents what it does and throws; not for programs. Holds the
/// gradients of one rank's module, and the hooks by which LibTorch's backward passes hand them to a GradientReducer.
/// Neither copyable nor movable, because the hooks refer to it.
struct ReplicaState {
  ReplicaState(Communicator& joined, const ::torch::nn::Module& module, const DistributedOptions& how);
  ReplicaState(const ReplicaState&) = delete;
  ReplicaState& operator=(const ReplicaState&) = delete;
  ~ReplicaState();

  void find_tensors(const ::torch::nn::Module& module);
  void check(const std::string& name, const ::at::Tensor& tensor) const;
  void make_gradients();
  ::at::Tensor view_of_gradient(std::size_t i) const;
  void add_hook(std::size_t i);
  void remove_hooks() noexcept;
  void accumulated(std::size_t i);
  bool is_complete(Trained& parameter);
  void begin_pass();
  void queue_end();
  void mark_unused();
  void adopt_in_order();
  void learn_graph(const PassOutcome& outcome);
  void run_backward(const ::at::Tensor& loss);
  void require_no_failed_pass() const;
  void require_between_passes() const;
  void adopt(std::size_t i);
  void mark(std::size_t i);
  void finish_backward();
  void end_pass(bool abandon);
  void show_gradients(const PassOutcome& outcome);
  void reorder();
  void copy_buffers() { buffers.copy(stream); }
  std::vector<::at::Tensor> reduced_gradients();
  std::string missing() const;  // the names of parameters that took less part in the pass than they must
  // Whether the ranks tell each other at the end of a pass what they did. The host waits then.
  bool ends_together() const {
    return communicator.device().kind() == DeviceKind::host || options.find_unused_parameters ||
           is_learning();
  }
  // Whether this is the first pass of a static graph, in which hooks are counted.
  bool is_learning() const { return options.static_graph && !graph_is_known; }

  Communicator& communicator;
  const DistributedOptions options;
  std::vector<Trained> parameters{};
  ModuleBuffers buffers;             // and parameters that are not trained
  std::vector<Stream> own_stream{};  // none on a GPU
  StreamRef stream;
  std::unique_ptr<GradientReducer> reducer{};
  double weight = 1;  // of this rank's gradients in the sum
  int no_sync_depth = 0;
  bool may_reorder = true;  // until the first pass has ended
  bool graph_is_known = false;
  std::size_t clock = 0;  // of last_firing
  // The pass at whose end LibTorch will call finish_backward(). Its execution owns the token, so a token that has
  // expired before the call tells that the pass ended with an exception.
  struct {
    bool is_queued = false;
    bool is_explicit = false;  // run_backward() ends the pass, which may consist of several executions
    std::weak_ptr<const void> token{};
    const void* execution = nullptr;  // tells executions apart while the token lives
  } end{};
};

inline ReplicaState::ReplicaState(Communicator& joined, const ::torch::nn::Module& module,
                                  const DistributedOptions& how)
    : communicator(joined), options(how), buffers(joined), stream(joined.device(), how.stream) {
  Device& device = communicator.device();
  if (device.kind() == DeviceKind::host) {
    own_stream.push_back(device.make_stream());
    stream = own_stream.front();
  }
  find_tensors(module);
  make_gradients();
  copy_buffers();
  try {
    for (std::size_t i = 0; i < parameters.size(); ++i) add_hook(i);
  } catch (...) {
    remove_hooks();
    throw;
  }
}

inline ReplicaState::~ReplicaState() {
  remove_hooks();
  for (const Trained& each : parameters) {
    ::at::Tensor& gradient = each.value.mutable_grad();
    if (!gradient.is_same(each.gradient)) continue;
    gradient.reset();
    try {
      gradient = each.gradient.clone();
    } catch (const std::exception&) {
      static_cast<void>(0);  // there is no memory for a copy: the gradient is undefined
    }
  }
}

inline void ReplicaState::remove_hooks() noexcept {
  for (const Trained& each : parameters) {
    if (each.hook != 0) each.accumulator->del_post_hook(each.hook);
  }
}

inline void ReplicaState::find_tensors(const ::torch::nn::Module& module) {
  std::unordered_set<const void*> known;  // a shared tensor has several names
  const auto add_buffer = [&](const std::string& name, const ::at::Tensor& tensor) {
    check(name, tensor);
    buffers.add(tensor);
  };
  for (const auto& each : module.named_parameters()) {
    if (!each.value().defined() || !known.insert(each.value().unsafeGetTensorImpl()).second) continue;
    if (!each.value().requires_grad()) {
      add_buffer(each.key(), each.value());
      continue;
    }
    check(each.key(), each.value());
    parameters.push_back({.name = each.key(), .value = each.value()});
  }
  for (const auto& each : module.named_buffers()) {
    if (each.value().defined() && known.insert(each.value().unsafeGetTensorImpl()).second)
      add_buffer(each.key(), each.value());
  }
  if (parameters.empty()) throw ArgumentError("the module has no parameters that require gradients");
  buffers.allocate();
}

inline void ReplicaState::check(const std::string& name, const ::at::Tensor& tensor) const {
  const ::at::Device device = device_of(communicator.device());
  if (tensor.device() != device) {
    throw ArgumentError("\"" + name + "\" is on " + tensor.device().str() + ", but the communicator is on " +
                        device.str());
  }
  if (tensor.layout() != ::at::kStrided || !tensor.is_non_overlapping_and_dense())
    throw ArgumentError("the elements of \"" + name + "\" do not lie in memory without gaps");
  if (!dtype_of_tensor(tensor.scalar_type())) {
    throw ArgumentError("\"" + name + "\" has elements of type " + ::c10::toString(tensor.scalar_type()) +
                        ", which ranks cannot exchange");
  }
}

inline void ReplicaState::make_gradients() {
  std::vector<Parameter> described;
  for (const Trained& each : parameters) {
    const DType dtype = *dtype_of_tensor(each.value.scalar_type());
    const Shape shape(each.value.sizes().begin(), each.value.sizes().end());
    described.push_back({.name = each.name,
                         .value = {each.value.data_ptr(), dtype, shape},
                         .gradient = {nullptr, dtype, shape}});
  }
  reducer = std::make_unique<GradientReducer>(communicator, std::move(described), options.reducer);
  if (options.averaging == Averaging::per_rank) weight = per_rank_loss_weight(communicator.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].gradient = view_of_gradient(i);
}

// Returns gradient i in the reducer's memory, of the parameter's form.
inline ::at::Tensor ReplicaState::view_of_gradient(std::size_t i) const {
  const ::at::Tensor& value = parameters[i].value;
  return ::at::from_blob(reducer->gradient(i).data, value.sizes(), value.strides(),
                         value.options().requires_grad(false));
}

inline void ReplicaState::add_hook(std::size_t i) {
  Trained& parameter = parameters[i];
  parameter.accumulator = ::torch::autograd::impl::grad_accumulator(parameter.value);
  using Tensors = ::torch::autograd::variable_list;
  const auto hook = [this, i](const Tensors& outputs, const Tensors&) {
    accumulated(i);
    return outputs;
  };
  parameter.hook =
      parameter.accumulator->add_post_hook(std::make_unique<::torch::autograd::utils::LambdaPostHook>(hook));
}

// Called by LibTorch, in the backward pass, after it has added to the gradient of parameter i.
inline void ReplicaState::accumulated(std::size_t i) {
  Trained& parameter = parameters[i];
  if (!parameter.value.grad().defined()) return;
  parameter.is_used = true;
  if (no_sync_depth > 0) return;
  require_no_failed_pass();
  begin_pass();
  if (is_complete(parameter)) adopt(i);
}

// Counts a gradient of the parameter, and returns whether it was the last one of this pass.
inline bool ReplicaState::is_complete(Trained& parameter) {
  ++parameter.firings;
  if (is_learning()) {
    parameter.last_firing = ++clock;
    return false;  // unknown until the pass ends
  }
  const std::size_t expected = graph_is_known ? parameter.expected : 1;
  if (parameter.firings > expected) {
    throw ArgumentError("\"" + parameter.name + "\" got more gradients in one backward pass than " +
                        (graph_is_known ? "in the first one, though static_graph is set"
                                        : "one: set DistributedOptions::static_graph for checkpointing"));
  }
  return parameter.firings == expected;
}

inline void ReplicaState::begin_pass() {
  const bool begins = !end.is_queued && !reducer->in_pass();
  if (!end.is_queued && !end.is_explicit) queue_end();
  if (begins && graph_is_known) mark_unused();
}

// Marks the gradients that this rank never makes, so that no bucket waits for them.
inline void ReplicaState::mark_unused() {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Trained& each = parameters[i];
    if (each.expected > 0) continue;
    if (each.value.grad().defined()) {
      adopt(i);  // what earlier passes gave it
    } else {
      each.gradient.zero_();
      mark(i);
    }
  }
}

inline void ReplicaState::queue_end() {
  auto token = std::make_shared<const char>();
  end = {.is_queued = true,
         .token = token,
         .execution = ::torch::autograd::get_current_graph_task_nodes_in_graph()};
  ::torch::autograd::Engine::get_default_engine().queue_callback(
      [this, token = std::move(token)] { finish_backward(); });
}

// For the hooks, which run while a pass is executed.
inline void ReplicaState::require_no_failed_pass() const {
  if (!end.is_queued) return;
  if (!end.token.expired() && end.execution == ::torch::autograd::get_current_graph_task_nodes_in_graph())
    return;
  throw ArgumentError(
      "a backward pass began before the one before it was reduced. If that one ended with an exception, call "
      "abandon_step() first; re-entrant passes (checkpointing) need DistributedDataParallel::backward()");
}

// For calls between two passes.
inline void ReplicaState::require_between_passes() const {
  if (!end.is_queued && !reducer->in_pass()) return;
  throw ArgumentError(
      "the last backward pass was not reduced. If it ended with an exception, call abandon_step() first");
}

// Runs a pass that may be re-entrant, and reduces it when all of its executions have ended.
inline void ReplicaState::run_backward(const ::at::Tensor& loss) {
  if (no_sync_depth > 0) return loss.backward();
  require_between_passes();
  end.is_explicit = true;
  try {
    loss.backward();
  } catch (...) {
    // No execution owns the token, so the pass counts as failed, unless it has not begun.
    end = {.is_queued = std::any_of(parameters.begin(), parameters.end(),
                                    [](const Trained& each) { return each.firings > 0; })};
    throw;
  }
  finish_backward();
}

// Writes the gradient of parameter i, weighted, to the reducer's memory, and marks it as complete.
inline void ReplicaState::adopt(std::size_t i) {
  Trained& parameter = parameters[i];
  ::at::Tensor& gradient = parameter.value.mutable_grad();
  if (gradient.layout() != ::at::kStrided)
    throw ArgumentError("the gradient of \"" + parameter.name + "\" is sparse, which is not supported");
  if (gradient.requires_grad())
    throw ArgumentError("the gradient of \"" + parameter.name +
                        "\" has a graph (create_graph), which is not supported");
  ::at::mul_out(parameter.gradient, gradient, ::at::scalar_tensor(weight, ::at::kDouble));
  gradient = parameter.gradient;
  mark(i);
}

inline void ReplicaState::mark(std::size_t i) {
  if (own_stream.empty()) {
    reducer->mark_ready(i, stream);
  } else {
    reducer->mark_ready(i);
  }
}

inline std::string ReplicaState::missing() const {
  std::string names;
  if (is_learning() || (options.find_unused_parameters && !graph_is_known)) return names;
  for (const Trained& each : parameters) {
    const bool is_missing = graph_is_known ? each.firings < each.expected : !each.is_used;
    if (is_missing) names += (names.empty() ? "\"" : ", \"") + each.name + "\"";
  }
  return names;
}

// Called by LibTorch at the end of a backward pass, on the thread that runs it.
inline void ReplicaState::finish_backward() {
  const std::string names = missing();
  if (names.empty()) return end_pass(false);
  try {
    end_pass(true);
  } catch (const Error&) {  // which the other ranks throw, too
    static_cast<void>(0);
  }
  if (graph_is_known) {
    throw ArgumentError(
        "these parameters got fewer gradients than in the first pass, though static_graph is set: " + names);
  }
  throw ArgumentError("these parameters took no part in the backward pass: " + names +
                      ". If that is meant, set DistributedOptions::find_unused_parameters");
}

// Marks the gradients of the first pass of a static graph, in the order in which they were complete.
inline void ReplicaState::adopt_in_order() {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].expected = parameters[i].firings;
    if (parameters[i].firings > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return parameters[a].last_firing < parameters[b].last_firing;
  });
  for (const std::size_t i : order) adopt(i);
}

inline void ReplicaState::learn_graph(const PassOutcome& outcome) {
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].is_used_by_any = outcome.used[i];
  graph_is_known = true;
}

inline void ReplicaState::end_pass(bool abandon) {
  end = {};
  if (!abandon && is_learning()) adopt_in_order();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].is_used = false;
    parameters[i].firings = 0;
    // One that this pass did not use keeps what earlier passes gave it.
    if (!abandon && !reducer->is_ready(i) && parameters[i].value.grad().defined()) adopt(i);
  }
  if (ends_together()) {
    const PassOutcome outcome = reducer->finish_together(stream, abandon);
    show_gradients(outcome);
    if (outcome.abandoned_by >= 0) {
      throw StepAbandoned("rank " + std::to_string(outcome.abandoned_by) +
                          " gave up this step; all gradients are zero");
    }
    if (is_learning()) learn_graph(outcome);
  } else if (abandon) {
    const std::string why = "rank " + std::to_string(communicator.rank()) + " gave up a step";
    communicator.abort(why);
    throw CommunicationError(why);
  } else {
    reducer->zero_unready(stream);
    reducer->finish(stream);
    for (const Trained& each : parameters) {
      // Without a static graph, all ranks used all of them.
      if (!graph_is_known || each.is_used_by_any) each.value.mutable_grad() = each.gradient;
    }
  }
  if (options.reorder_buckets && std::exchange(may_reorder, false)) reorder();
  if (options.buffers == BufferSync::every_pass) copy_buffers();
}

inline void ReplicaState::reorder() {
  if (communicator.device().is_capturing(stream) || !reducer->reorder_buckets(stream)) return;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Trained& each = parameters[i];
    const ::at::Tensor moved = std::exchange(each.gradient, view_of_gradient(i));
    if (each.value.grad().is_same(moved)) each.value.mutable_grad() = each.gradient;
  }
}

// Makes parameters show the gradients that other ranks brought, or, if the pass was given up, the zeros.
inline void ReplicaState::show_gradients(const PassOutcome& outcome) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    ::at::Tensor& gradient = parameters[i].value.mutable_grad();
    const bool is_used = graph_is_known ? parameters[i].is_used_by_any : outcome.used[i];
    if (outcome.abandoned_by >= 0 ? gradient.defined() : is_used) gradient = parameters[i].gradient;
  }
}

// Returns the gradients that are defined, all of which are dense then.
inline std::vector<::at::Tensor> ReplicaState::reduced_gradients() {
  require_between_passes();
  std::vector<::at::Tensor> defined;
  for (const Trained& each : parameters) {
    ::at::Tensor& gradient = each.value.mutable_grad();
    if (!gradient.defined()) continue;
    if (gradient.layout() != ::at::kStrided)
      throw ArgumentError("the gradient of \"" + each.name + "\" is sparse, which is not supported");
    if (!gradient.is_non_overlapping_and_dense()) gradient = gradient.contiguous();
    defined.push_back(gradient);
  }
  return defined;
}

}  // namespace leat::torch::detail
