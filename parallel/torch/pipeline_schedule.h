/// \file
/// The order in which the stages of a pipeline work on micro-batches, and what they hand to each other.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace leat::torch {

/// When the stages of a Pipeline run backward passes. Both give the same gradients.
enum class PipelineSchedule {
  /// After all forward passes of the batch. Each stage holds the activations of all micro-batches.
  gpipe,
  /// As soon as a gradient can be there, in turn with forward passes: stage s of n, counted from 0, holds the
  /// activations of at most n - s micro-batches.
  one_forward_one_backward
};

namespace detail {

// One pass of one stage.
struct PipelineTask {
  bool is_backward = false;
  std::size_t micro_batch = 0;
  friend bool operator==(const PipelineTask&, const PipelineTask&) = default;
};

// All that stage `stage` of `stages` does in a step, in order. Both schedules take micro-batches in their order in
// either direction, so gradients are added up in the same order.
inline std::vector<PipelineTask> tasks_of_stage(PipelineSchedule schedule, std::size_t stage,
                                                std::size_t stages, std::size_t micro_batches) {
  // The forward passes that are ahead of the backward passes.
  const std::size_t ahead =
      schedule == PipelineSchedule::gpipe ? micro_batches : std::min(micro_batches, stages - stage);
  std::vector<PipelineTask> tasks;
  for (std::size_t i = 0; i < micro_batches + ahead; ++i) {
    if (i < micro_batches) tasks.push_back({.is_backward = false, .micro_batch = i});
    if (i + 1 >= ahead && i + 1 - ahead < micro_batches)
      tasks.push_back({.is_backward = true, .micro_batch = i + 1 - ahead});
  }
  return tasks;
}

// What the stages hand to each other in one pass over a batch. Any thread may call anything.
class PipelineExchange {
 public:
  // Thrown where a stage waits for one that has failed.
  struct Stopped {};

  explicit PipelineExchange(std::size_t stages) : activations_(stages), gradients_(stages) {}

  // To stage `stage`, from the one before it.
  void send_activation(std::size_t stage, ::at::Tensor tensor) {
    send(activations_[stage], std::move(tensor));
  }
  ::at::Tensor receive_activation(std::size_t stage) { return receive(activations_[stage]); }

  // To stage `stage`, from the one behind it; undefined if that one has no gradient for it.
  void send_gradient(std::size_t stage, ::at::Tensor tensor) { send(gradients_[stage], std::move(tensor)); }
  ::at::Tensor receive_gradient(std::size_t stage) { return receive(gradients_[stage]); }

  // Ends all calls that wait, now and later, with Stopped.
  void stop() {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    changed_.notify_all();
  }

 private:
  using Queue = std::deque<::at::Tensor>;

  void send(Queue& queue, ::at::Tensor tensor) {
    const std::lock_guard lock(mutex_);
    queue.push_back(std::move(tensor));
    changed_.notify_all();
  }

  // Waits for as long as the other stage computes, which is the user's code: there is no bound.
  ::at::Tensor receive(Queue& queue) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_stopped_ || !queue.empty(); });
    if (is_stopped_) throw Stopped();
    ::at::Tensor tensor = std::move(queue.front());
    queue.pop_front();
    return tensor;
  }

  std::mutex mutex_{};
  std::condition_variable changed_{};
  std::vector<Queue> activations_, gradients_;  // guarded by the mutex, as is the next
  bool is_stopped_ = false;
};

}  // namespace detail

}  // namespace leat::torch
