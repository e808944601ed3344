#include "tests/cuda_fake/runtime.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>

namespace leat::cuda_fake {

namespace {

std::shared_ptr<Queue>& default_queue(std::shared_ptr<Queue>& queue, bool is_legacy) {
  if (queue == nullptr) {
    queue = Machine::get().make_queue(current_device(), !is_legacy);
    queue->is_legacy = is_legacy;
  }
  return queue;
}

}  // namespace

ThreadState& this_thread() noexcept {
  static std::atomic<std::uint64_t> next = 0;
  static thread_local ThreadState state{.number = next++};
  return state;
}

Runtime& Runtime::get() {
  static auto* const runtime = new Runtime;  // never destroyed: static objects may own streams
  return *runtime;
}

int current_device() noexcept {
  return this_thread().device;
}

cudaError_t set_last(cudaError_t error) noexcept {
  if (error != cudaSuccess) this_thread().last_error = error;
  return error;
}

bool is_foreign_process() noexcept {
  static const pid_t first = ::getpid();
  return ::getpid() != first;
}

std::shared_ptr<Queue> queue_of(cudaStream_t stream) {
  Runtime& runtime = Runtime::get();
  if (stream == nullptr || stream == cudaStreamLegacy)
    return default_queue(runtime.legacy[current_device()], true);
  if (stream == cudaStreamPerThread)
    return default_queue(runtime.per_thread[{this_thread().number, current_device()}], false);
  return runtime.streams.contains(stream) ? stream->queue : nullptr;
}

cudaError_t invalidate(const std::shared_ptr<Capture>& capture, cudaError_t error) {
  capture->is_invalid = true;
  return error;
}

std::shared_ptr<Capture> capture_beside(const Queue& legacy) {
  for (const auto& capture : Runtime::get().captures) {
    for (const auto& queue : capture->joined) {
      if (queue->is_blocking && queue->device == legacy.device) return capture;
    }
  }
  return nullptr;
}

cudaError_t check_usable(const Queue& queue) {
  if (queue.capture != nullptr && queue.capture->is_invalid) return cudaErrorStreamCaptureInvalidated;
  const auto capture = queue.is_legacy ? capture_beside(queue) : nullptr;
  return capture == nullptr ? cudaSuccess : invalidate(capture, cudaErrorStreamCaptureImplicit);
}

cudaError_t check_unsafe_call() {
  const cudaStreamCaptureMode mode = this_thread().capture_mode;
  if (mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  for (const auto& capture : Runtime::get().captures) {
    const bool is_own = capture->thread == this_thread().number;
    const bool forbids =
        is_own ? capture->mode != cudaStreamCaptureModeRelaxed
               : capture->mode == cudaStreamCaptureModeGlobal && mode == cudaStreamCaptureModeGlobal;
    if (forbids) return invalidate(capture, cudaErrorStreamCaptureUnsupported);
  }
  return cudaSuccess;
}

cudaError_t begin_call(const char* name, Kind kind) {
  Runtime& runtime = Runtime::get();
  ++runtime.counts.calls;
  if (Machine::in_host_function()) {
    Machine::get().report(fmt::format("a host function calls {}", name));
    return cudaErrorNotPermitted;
  }
  if (kind == Kind::unsafe_ending) return check_unsafe_call();
  if (kind == Kind::ending) return cudaSuccess;
  if (runtime.lost != cudaSuccess) return runtime.lost;
  const bool is_counted = runtime.failing_function.empty() || runtime.failing_function == name;
  if (is_counted && runtime.calls_to_failure > 0 && --runtime.calls_to_failure == 0) {
    runtime.failed_call = name;
    return runtime.failure;
  }
  return kind == Kind::unsafe ? check_unsafe_call() : cudaSuccess;
}

NodePtr Runtime::enqueue(Machine::Lock& lock, Queue& queue, Work work, std::vector<NodePtr> after) {
  if (queue.capture == nullptr) return Machine::get().enqueue(lock, queue, std::move(work), std::move(after));
  std::vector<GraphNode>& nodes = queue.capture->graph->nodes;
  nodes.push_back({std::move(work), std::exchange(queue.capture_tail, {})});
  queue.capture_tail = {nodes.size() - 1};
  return nullptr;
}

}  // namespace leat::cuda_fake
