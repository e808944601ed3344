/// \file
/// Pipeline parallelism within one process: the stages of a LibTorch model work on different devices at the same time.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <c10/core/Device.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/grad_mode.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/torch/device_threads.h"
#include "leat/torch/pipeline_schedule.h"
#include "leat/torch/scatter_gather.h"
#include "leat/transfer/row_range.h"

namespace leat::torch {

/// One stage of a Pipeline: a module whose forward() takes a tensor and returns one, and the device that it runs on.
class PipelineStage {
 public:
  /// Moves the module to the device.
  template <class M>
  PipelineStage(const std::shared_ptr<M>& module, ::at::Device device)
      : module_(module),
        device_(detail::numbered({device})[0]),
        forward_([module = module.get()](const ::at::Tensor& input) { return module->forward(input); }) {
    module->to(device_);
  }
  /// The same for a holder, such as torch::nn::Sequential.
  template <class M>
  PipelineStage(const ::torch::nn::ModuleHolder<M>& module, ::at::Device device)
      : PipelineStage(module.ptr(), device) {}

  const std::shared_ptr<::torch::nn::Module>& module() const noexcept { return module_; }  ///< the module
  ::at::Device device() const noexcept { return device_; }                                 ///< its device
  /// Runs the module on the calling thread.
  ::at::Tensor forward(const ::at::Tensor& input) const { return forward_(input); }

 private:
  std::shared_ptr<::torch::nn::Module> module_;
  ::at::Device device_;
  std::function<::at::Tensor(const ::at::Tensor&)> forward_;
};

/// Options of a Pipeline.
struct PipelineOptions {
  /// Into how many micro-batches a batch is divided. With m, n rows are micro-batches of ceil(n / m) rows, of which the
  /// last may have fewer; there are fewer than m if n is small.
  std::size_t micro_batches = 1;
  PipelineSchedule schedule = PipelineSchedule::one_forward_one_backward;  ///< when backward passes run
  /// How many of LibTorch's threads each stage on the CPU uses. With 0, stages on the CPU share the number that
  /// LibTorch has when the pipeline is made.
  int intra_op_threads = 0;
};

/// Reports an exception in a stage of a Pipeline.
class StageError : public Error {
 public:
  /// Reports that stage `stage` has thrown `cause` in a pass over micro-batch `micro_batch`; both count from 0.
  StageError(std::size_t stage, ::at::Device device, std::size_t micro_batch, bool is_backward,
             std::exception_ptr cause)
      : Error("stage " + std::to_string(stage) + " on " + device.str() + ", " +
              (is_backward ? "backward" : "forward") + " pass of micro-batch " + std::to_string(micro_batch) +
              ": " + detail::text_of(cause)),
        stage_(stage),
        device_(device),
        cause_(std::move(cause)) {}

  std::size_t stage() const noexcept { return stage_; }                ///< index of the stage
  ::at::Device device() const noexcept { return device_; }             ///< its device
  const std::exception_ptr& cause() const noexcept { return cause_; }  ///< what was thrown

 private:
  std::size_t stage_;
  ::at::Device device_;
  std::exception_ptr cause_;
};

/// Returns the mean loss of some rows, a tensor without dimensions, from the output of the last stage and the target.
using PipelineLoss = std::function<::at::Tensor(const ::at::Tensor& output, const ::at::Tensor& target)>;

/// Trains a model whose stages are on different devices. A batch is divided into micro-batches, so that the stages
/// work on several of them at the same time, each on a thread of its own:
///
///     leat::torch::Pipeline pipeline{{{encoder, {at::kCUDA, 0}}, {decoder, {at::kCUDA, 1}}}, {.micro_batches = 8}};
///     torch::optim::SGD optimizer{pipeline.parameters(), 0.1};
///     for (auto& batch : batches) {
///       optimizer.zero_grad();
///       pipeline.train_step(batch["x"], batch["y"], torch::nn::CrossEntropyLoss());
///       optimizer.step();
///     }
///
/// The gradients are those of the unsplit model on the whole batch, except for what depends on other rows of the
/// batch, such as batch normalization, which sees one micro-batch at a time, and for random numbers. Dropout is
/// repeatable if no two stages that draw random numbers are on the same device: stages on the CPU draw from one
/// generator, in no fixed order. Both schedules give the same bits, unless stages share parameters, whose gradients
/// are added up in no fixed order.
///
/// Devices may repeat: with at::kCPU for each stage, they run on threads of the CPU. On GPUs, stages work on the
/// streams that are current for the thread that calls the pipeline. Stages may share parameters if they are on the
/// same device. The first operation of a stage must not change its input in place.
///
/// One thread at a time uses a pipeline and its modules. Forked processes may destroy, but not use it.
class Pipeline {
 public:
  /// Starts a thread for each stage. Throws ArgumentError if there are no stages, for options out of range, and if
  /// stages on different devices share a parameter.
  explicit Pipeline(std::vector<PipelineStage> stages, const PipelineOptions& options = {})
      : stages_(std::move(stages)), options_(options), peaks_(stages_.size()) {
    if (stages_.empty()) throw ArgumentError("Pipeline: there are no stages");
    if (options.micro_batches == 0) throw ArgumentError("Pipeline: micro_batches is 0");
    expect_own_parameters();
    std::vector<::at::Device> devices;
    for (const PipelineStage& each : stages_) devices.push_back(each.device());
    threads_ =
        std::make_unique<detail::DeviceThreads>("Pipeline", std::move(devices), options.intra_op_threads);
  }

  /// Runs forward and backward passes over a batch, and returns the mean loss over its rows, which are dimension 0 of
  /// both tensors, on the last device. Adds to the gradients of the stages' parameters those of that mean loss;
  /// `input` gets none. `loss` is called for each micro-batch on the thread of the last stage; micro-batches count by
  /// their rows.
  ///
  /// Throws StageError for the first stage that has thrown, after all threads have ended. The gradients are then those
  /// of a part of the batch: set them to zero. The pipeline can be used again. Throws ArgumentError if the batch has
  /// no rows, or other rows than `target`, and if the grad mode is disabled.
  ::at::Tensor train_step(const ::at::Tensor& input, const ::at::Tensor& target, const PipelineLoss& loss) {
    if (!::at::GradMode::is_enabled()) throw ArgumentError("Pipeline::train_step: the grad mode is disabled");
    Pass pass(*this, input);
    if (target.dim() == 0 || target.size(0) != input.size(0))
      throw ArgumentError("Pipeline::train_step: the input has " + std::to_string(input.size(0)) +
                          " rows; the target has the shape " + shape_of(target));
    pass.target = target;
    pass.loss = &loss;
    run(pass);
    return pass.mean_loss;
  }

  /// Returns the output of the last stage for a batch, on the last device, for evaluation: without gradients, whatever
  /// the grad mode is. Whether the modules are in training mode is for train() to say. Throws as train_step() does.
  ::at::Tensor forward(const ::at::Tensor& input) {
    Pass pass(*this, input);
    run(pass);
    return ::at::cat(pass.outputs, 0);
  }

  /// Returns the parameters of all stages, for an optimizer; those that stages share are there once.
  std::vector<::at::Tensor> parameters() const {
    std::vector<::at::Tensor> all;
    for (const PipelineStage& stage : stages_) {
      for (const ::at::Tensor& each : stage.module()->parameters()) {
        if (std::ranges::none_of(all, [&each](const auto& known) { return known.is_same(each); }))
          all.push_back(each);
      }
    }
    return all;
  }

  /// Puts all stages into training mode, or into evaluation mode.
  void train(bool on = true) {
    for (const PipelineStage& each : stages_) each.module()->train(on);
  }

  /// Puts all stages into evaluation mode.
  void eval() { train(false); }

  /// Returns the stages.
  const std::vector<PipelineStage>& stages() const noexcept { return stages_; }

  /// Returns for each stage the greatest number of micro-batches whose activations it held at once in the last
  /// train_step().
  const std::vector<std::size_t>& peak_micro_batches() const noexcept { return peaks_; }

 private:
  // What a stage keeps of a micro-batch from its forward to its backward pass: its input, which is a leaf, and its
  // output; in the last stage the weighted loss.
  struct Activations {
    ::at::Tensor input, output;
  };

  // A pass over one batch.
  struct Pass {
    Pass(const Pipeline& pipeline, const ::at::Tensor& batch)
        : input(batch.detach()), exchange(pipeline.stages_.size()), current(pipeline.stages_.size()) {
      if (batch.dim() == 0 || batch.size(0) == 0)
        throw ArgumentError("Pipeline: the input has no rows: its shape is " + shape_of(batch));
      micro_batches = chunk_rows(static_cast<std::size_t>(batch.size(0)), pipeline.options_.micro_batches);
    }
    // The rows of a micro-batch, on the device.
    ::at::Tensor rows(const ::at::Tensor& batch, std::size_t micro_batch, ::at::Device device) const {
      const RowRange& range = micro_batches[micro_batch];
      return detail::moved(
          batch.narrow(0, static_cast<std::int64_t>(range.first), static_cast<std::int64_t>(range.size())),
          device);
    }

    ::at::Tensor input, target{};
    const PipelineLoss* loss = nullptr;  // null: no backward passes
    std::vector<RowRange> micro_batches{};
    detail::PipelineExchange exchange;
    std::vector<detail::PipelineTask> current;  // of each stage
    // Of the last stage's thread:
    ::at::Tensor mean_loss{};
    std::vector<::at::Tensor> outputs{};
  };

  static std::string shape_of(const ::at::Tensor& tensor) {
    std::string text;
    for (const std::int64_t each : tensor.sizes()) text += (text.empty() ? "" : ", ") + std::to_string(each);
    return "[" + text + "]";
  }

  void expect_own_parameters() const {
    std::map<const void*, std::size_t> owners;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      for (const auto& each : stages_[s].module()->named_parameters()) {
        const std::size_t owner = owners.emplace(each.value().unsafeGetTensorImpl(), s).first->second;
        if (stages_[owner].device() != stages_[s].device())
          throw ArgumentError("Pipeline: stages " + std::to_string(owner) + " and " + std::to_string(s) +
                              " share \"" + each.key() + "\", but are on different devices");
      }
    }
  }

  void run(Pass& pass) {
    const auto errors = threads_->run(stages_.size(), [this, &pass](std::size_t s) {
      try {
        run_stage(pass, s);
      } catch (const detail::PipelineExchange::Stopped&) {  // another stage has failed, and says why
        return;
      } catch (...) {
        pass.exchange.stop();
        throw;
      }
    });
    const std::size_t s = detail::first_error(errors);
    if (s == errors.size()) return;
    const detail::PipelineTask& task = pass.current[s];
    throw StageError(s, stages_[s].device(), task.micro_batch, task.is_backward, errors[s]);
  }

  // What the thread of stage `s` does.
  void run_stage(Pass& pass, std::size_t s) {
    const ::at::AutoGradMode mode(pass.loss != nullptr);
    if (pass.loss == nullptr) {
      for (std::size_t i = 0; i < pass.micro_batches.size(); ++i) {
        pass.current[s] = {.is_backward = false, .micro_batch = i};
        run_forward(pass, s, i);
      }
      return;
    }
    peaks_[s] = 0;
    std::map<std::size_t, Activations> live;  // by micro-batch
    for (const detail::PipelineTask& task :
         detail::tasks_of_stage(options_.schedule, s, stages_.size(), pass.micro_batches.size())) {
      pass.current[s] = task;
      if (task.is_backward) {
        run_backward(pass, s, live.at(task.micro_batch));
        live.erase(task.micro_batch);
      } else {
        live.emplace(task.micro_batch, run_forward(pass, s, task.micro_batch));
        peaks_[s] = std::max(peaks_[s], live.size());
      }
    }
  }

  Activations run_forward(Pass& pass, std::size_t s, std::size_t i) const {
    const PipelineStage& stage = stages_[s];
    Activations made;
    if (s == 0) {
      made.input = pass.rows(pass.input, i, stage.device());
    } else {
      const ::at::Tensor sent = pass.exchange.receive_activation(s);
      made.input = detail::moved(sent.detach(), stage.device());
      made.input.set_requires_grad(pass.loss != nullptr && sent.requires_grad());
    }
    made.output = stage.forward(made.input);
    if (s + 1 < stages_.size()) {
      pass.exchange.send_activation(s + 1, detached(made.output));
    } else if (pass.loss == nullptr) {
      pass.outputs.push_back(made.output);
    } else {
      made.output = weighted_loss(pass, i, made.output);
    }
    return made;
  }

  // A tensor with the same memory and without history that says, as the other does, whether it requires a gradient.
  static ::at::Tensor detached(const ::at::Tensor& output) {
    return output.detach().set_requires_grad(output.requires_grad());
  }

  ::at::Tensor weighted_loss(Pass& pass, std::size_t i, const ::at::Tensor& output) const {
    const ::at::Tensor loss = (*pass.loss)(output, pass.rows(pass.target, i, stages_.back().device()));
    if (!loss.defined() || loss.dim() != 0)
      throw ArgumentError("the loss function must return a tensor without dimensions" +
                          (loss.defined() ? ", not one of the shape " + shape_of(loss) : ""));
    const double share =
        static_cast<double>(pass.micro_batches[i].size()) / static_cast<double>(pass.input.size(0));
    const ::at::Tensor weighted = loss * share;
    pass.mean_loss = pass.mean_loss.defined() ? pass.mean_loss + weighted.detach() : weighted.detach();
    return weighted;
  }

  void run_backward(Pass& pass, std::size_t s, const Activations& made) const {
    if (s + 1 == stages_.size()) {
      ::torch::autograd::backward({made.output});
    } else if (const ::at::Tensor gradient = pass.exchange.receive_gradient(s); gradient.defined()) {
      ::torch::autograd::backward({made.output}, {detail::moved(gradient, stages_[s].device())});
    }
    if (s > 0) pass.exchange.send_gradient(s - 1, made.input.grad());
  }

  std::vector<PipelineStage> stages_;
  PipelineOptions options_;
  std::vector<std::size_t> peaks_;
  std::unique_ptr<detail::DeviceThreads> threads_{};
};

}  // namespace leat::torch
