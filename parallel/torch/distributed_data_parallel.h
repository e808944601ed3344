/// \file
/// Data-parallel training of LibTorch's modules: the gradients of all ranks are averaged while backward() runs.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/scalar_tensor.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/nn/module.h>

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
#include "leat/parallel/world.h"
#include "leat/torch/batch.h"
#include "leat/torch/dtype.h"

namespace leat::torch {

/// How the gradients of the ranks become one.
enum class Averaging {
  per_rank,  ///< their mean, as in PyTorch: exact if every rank's loss is the mean over equally many rows
  rows,      ///< their mean, weighted by the rows that each rank names to set_rows()
  /// Their sum, for losses that are sums. Set gradients to zero, or call zero_grad(), after each pass that was reduced:
  /// what is left of it would be added once for each rank.
  none
};

/// When buffers, such as the running statistics of batch normalization, are copied from rank 0 to all ranks.
enum class BufferSync {
  on_request,  ///< when sync_buffers() is called, before an evaluation, for example
  every_pass   ///< at the end of every backward pass
};

/// Options of a DistributedDataParallel; the same on all ranks.
struct DistributedOptions {
  Averaging averaging = Averaging::per_rank;    ///< how the gradients of the ranks become one
  BufferSync buffers = BufferSync::every_pass;  ///< when buffers are copied from rank 0
  /// Whether parameters may take no part in a backward pass. The gradient of one that no rank used stays as it is:
  /// undefined, after zero_grad(). If false, a parameter that a rank did not use is an ArgumentError that names it.
  bool find_unused_parameters = false;
  ReducerOptions reducer{};  ///< sizes of buckets
  /// LibTorch's current stream on the module's GPU; null is CUDA's default stream. The CPU has none.
  void* stream = nullptr;
};

/// Reports that a rank gave up the step. All ranks throw it, have the same parameters and gradients of zero, and may go
/// on with the next step.
class StepAbandoned : public Error {
 public:
  using Error::Error;
};

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
/// Gradients lie in memory that the communicator reduces without a copy. Optimizers may set them to zero, or undefined
/// as zero_grad() does, which is faster.
///
/// A module must have all of its parameters, on one device, when it is wrapped. Its forward pass may use a parameter
/// several times. Not for re-entrant backward passes (checkpointing), nor for sparse gradients.
///
/// One thread at a time uses an object and runs its backward passes. A communicator that it is given outlives it. No
/// tensor that shares memory with a gradient may outlive it, except the gradients of the parameters themselves.
class DistributedDataParallel {
 public:
  /// Verifies that all ranks have the same parameters, and copies the parameters and buffers of rank 0 to all ranks.
  /// Throws ArgumentError for a parameter that cannot be reduced, naming it; CommunicationError if the ranks differ.
  DistributedDataParallel(Communicator& communicator, ::torch::nn::Module& module,
                          const DistributedOptions& options = {})
      : state_(std::make_unique<State>(communicator, module, options)) {}

  /// The same, with a communicator of its own over all ranks of the world, on the device of the module's parameters.
  /// Also throws what World::make_communicator() throws.
  DistributedDataParallel(const World& world, ::torch::nn::Module& module,
                          const DistributedOptions& options = {})
      : own_communicator_(world.make_communicator(device_holding(module))),
        state_(std::make_unique<State>(*own_communicator_, module, options)) {}

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
    for (Trained& each : state_->parameters) {
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
    const std::size_t all_rows = state_->reducer->global_rows(rows);
    state_->weight = exact_loss_weight(rows, all_rows);
    return all_rows;
  }

  /// Takes part in the backward pass of the other ranks, with gradients of zero: for a rank that has no batch left.
  void skip_backward() { state_->end_pass(false); }

  /// Gives up this step on all ranks: call it instead of, or after an exception in, a backward pass that was not run to
  /// its end. Every rank, this one too, throws StepAbandoned. On GPUs without find_unused_parameters, where ranks do
  /// not wait for each other at the end of a pass, it aborts the communicator: every rank throws CommunicationError.
  void abandon_step() { state_->end_pass(true); }

  /// Copies the buffers of rank 0 to all ranks. All ranks call it. Throws CommunicationError.
  void sync_buffers() { state_->copy_buffers(); }

  /// Returns the number of buckets, each of which is one reduction.
  std::size_t bucket_count() const noexcept { return state_->reducer->bucket_count(); }

 private:
  struct Trained {
    std::string name;
    ::at::Tensor value;
    ::at::Tensor gradient{};                                 // in the reducer's memory
    std::shared_ptr<::torch::autograd::Node> accumulator{};  // the parameter itself refers to it only weakly
    std::uintptr_t hook = 0;
    bool is_used = false;  // since the last pass that was reduced
  };
  // What the hooks refer to.
  struct State {
    State(Communicator& joined, const ::torch::nn::Module& module, const DistributedOptions& how);
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State();

    void find_tensors(const ::torch::nn::Module& module);
    void check(const std::string& name, const ::at::Tensor& tensor) const;
    void make_gradients();
    void add_hook(std::size_t i);
    void remove_hooks() noexcept;
    void accumulated(std::size_t i);
    void adopt(std::size_t i);
    void finish_backward();
    void end_pass(bool abandon);
    void show_gradients(const PassOutcome& outcome);
    void copy_buffers();
    std::string unused() const;  // the names of parameters that took no part
    // Whether the ranks tell each other at the end of a pass what they did. The host waits then.
    bool ends_together() const {
      return communicator.device().kind() == DeviceKind::host || options.find_unused_parameters;
    }

    Communicator& communicator;
    const DistributedOptions options;
    std::vector<Trained> parameters{};
    std::vector<::at::Tensor> buffers{};  // and parameters that are not trained
    DeviceBuffer packed{};                // all of these, one after the other
    std::vector<Stream> own_stream{};     // none on a GPU
    StreamRef stream;
    std::unique_ptr<GradientReducer> reducer{};
    double weight = 1;  // of this rank's gradients in the sum
    int no_sync_depth = 0;
    bool is_end_queued = false;  // LibTorch will call finish_backward() when the backward pass ends
  };

  static Device& device_holding(const ::torch::nn::Module& module);

  std::unique_ptr<Communicator> own_communicator_;  // null: the caller's
  std::unique_ptr<State> state_;
};

inline Device& DistributedDataParallel::device_holding(const ::torch::nn::Module& module) {
  for (const ::at::Tensor& each : module.parameters()) {
    if (each.defined() && each.is_cuda()) return cuda_device(each.device().index());
  }
  return host_device();
}

inline DistributedDataParallel::State::State(Communicator& joined, const ::torch::nn::Module& module,
                                             const DistributedOptions& how)
    : communicator(joined), options(how), stream(joined.device(), how.stream) {
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

inline DistributedDataParallel::State::~State() {
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

inline void DistributedDataParallel::State::remove_hooks() noexcept {
  for (const Trained& each : parameters) {
    if (each.hook != 0) each.accumulator->del_post_hook(each.hook);
  }
}

inline void DistributedDataParallel::State::find_tensors(const ::torch::nn::Module& module) {
  std::unordered_set<const void*> known;  // a shared tensor has several names
  std::size_t bytes = 0;
  const auto add_buffer = [&](const std::string& name, const ::at::Tensor& tensor) {
    check(name, tensor);
    buffers.push_back(tensor);  // itself: its memory may be replaced when a checkpoint is loaded
    bytes += tensor.nbytes();
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
  packed = communicator.device().allocate(bytes);
}

inline void DistributedDataParallel::State::check(const std::string& name, const ::at::Tensor& tensor) const {
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

inline void DistributedDataParallel::State::make_gradients() {
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
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const ::at::Tensor& value = parameters[i].value;
    parameters[i].gradient = ::at::from_blob(reducer->gradient(i).data, value.sizes(), value.strides(),
                                             value.options().requires_grad(false));
  }
}

inline void DistributedDataParallel::State::add_hook(std::size_t i) {
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
inline void DistributedDataParallel::State::accumulated(std::size_t i) {
  Trained& parameter = parameters[i];
  if (!parameter.value.grad().defined()) return;
  parameter.is_used = true;
  if (no_sync_depth > 0) return;
  if (reducer->is_ready(i)) {
    throw ArgumentError(
        "\"" + parameter.name +
        "\" got a second gradient in one backward pass. If the pass before ended with an exception, "
        "call abandon_step() first; re-entrant passes (checkpointing) are not supported");
  }
  adopt(i);
  if (!is_end_queued) {
    ::torch::autograd::Engine::get_default_engine().queue_callback([this] { finish_backward(); });
    is_end_queued = true;
  }
}

// Writes the gradient of parameter i, weighted, to the reducer's memory, and marks it as complete.
inline void DistributedDataParallel::State::adopt(std::size_t i) {
  Trained& parameter = parameters[i];
  ::at::Tensor& gradient = parameter.value.mutable_grad();
  if (gradient.layout() != ::at::kStrided)
    throw ArgumentError("the gradient of \"" + parameter.name + "\" is sparse, which is not supported");
  if (gradient.requires_grad())
    throw ArgumentError("the gradient of \"" + parameter.name +
                        "\" has a graph (create_graph), which is not supported");
  ::at::mul_out(parameter.gradient, gradient, ::at::scalar_tensor(weight, ::at::kDouble));
  gradient = parameter.gradient;
  if (own_stream.empty()) {
    reducer->mark_ready(i, stream);
  } else {
    reducer->mark_ready(i);
  }
}

inline std::string DistributedDataParallel::State::unused() const {
  std::string names;
  for (const Trained& each : parameters) {
    if (!each.is_used) names += (names.empty() ? "\"" : ", \"") + each.name + "\"";
  }
  return names;
}

// Called by LibTorch at the end of a backward pass, on the thread that runs it.
inline void DistributedDataParallel::State::finish_backward() {
  const std::string names = options.find_unused_parameters ? std::string() : unused();
  if (names.empty()) return end_pass(false);
  try {
    end_pass(true);
  } catch (const Error&) {  // which the other ranks throw, too
    static_cast<void>(0);
  }
  throw ArgumentError("these parameters took no part in the backward pass: " + names +
                      ". If that is meant, set DistributedOptions::find_unused_parameters");
}

inline void DistributedDataParallel::State::end_pass(bool abandon) {
  is_end_queued = false;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].is_used = false;
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
  } else if (abandon) {
    const std::string why = "rank " + std::to_string(communicator.rank()) + " gave up a step";
    communicator.abort(why);
    throw CommunicationError(why);
  } else {
    reducer->zero_unready(stream);
    reducer->finish(stream);
    for (const Trained& each : parameters)
      each.value.mutable_grad() = each.gradient;  // all ranks used all of them
  }
  if (options.buffers == BufferSync::every_pass) copy_buffers();
}

// Makes parameters show the gradients that other ranks brought, or, if the pass was given up, the zeros.
inline void DistributedDataParallel::State::show_gradients(const PassOutcome& outcome) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    ::at::Tensor& gradient = parameters[i].value.mutable_grad();
    if (outcome.abandoned_by >= 0 ? gradient.defined() : outcome.used[i]) gradient = parameters[i].gradient;
  }
}

inline void DistributedDataParallel::State::copy_buffers() {
  if (buffers.empty()) return;
  Device& device = communicator.device();
  std::size_t bytes = 0;
  for (const ::at::Tensor& each : buffers) bytes += each.nbytes();
  if (bytes != packed.size())
    throw ArgumentError("buffers of the module have changed their sizes since it was wrapped");
  const auto copy_all = [&](bool pack) {
    std::byte* place = packed.data();
    for (const ::at::Tensor& each : buffers) {
      void* const memory = each.data_ptr();
      device.copy(pack ? place : memory, pack ? memory : place, each.nbytes(), stream);
      place += each.nbytes();
    }
  };
  copy_all(true);
  communicator.broadcast({packed.data(), packed.size(), DType::u8}, 0, stream);
  copy_all(false);
  if (!own_stream.empty()) stream.synchronize();
}

}  // namespace leat::torch
