// Capturing the work of streams into graphs, and launching these.
#include <algorithm>
#include <set>

#include "tests/cuda_fake/runtime.h"

namespace leat::cuda_fake {

namespace {

// Returns whether each stream that joined the capture has been waited for, directly or not, by its origin.
bool all_joined(const Capture& capture) {
  std::set<std::size_t> before(capture.origin->capture_tail.begin(), capture.origin->capture_tail.end());
  for (std::size_t node = capture.graph->nodes.size(); node-- > 0;) {
    if (before.contains(node))
      before.insert(capture.graph->nodes[node].after.begin(), capture.graph->nodes[node].after.end());
  }
  return std::ranges::all_of(capture.joined, [&](const auto& queue) {
    return std::ranges::all_of(queue->capture_tail, [&](std::size_t node) { return before.contains(node); });
  });
}

// Drops references. The last one's object is destroyed on the thread of host functions, which may not call the runtime.
void release(cudaUserObject_t object, unsigned count) {
  object->references -= count;
  if (object->references > 0) return;
  Machine::get().run_on_host_thread([destroy = object->destroy, value = object->value] { destroy(value); });
  delete object;
}

cudaError_t get_capture(cudaStream_t stream, cudaStreamCaptureStatus& status, cudaGraph_t* graph) {
  const auto queue = queue_of(stream);
  if (queue == nullptr) return cudaErrorInvalidResourceHandle;
  if (queue->is_legacy && capture_beside(*queue) != nullptr) return cudaErrorStreamCaptureImplicit;
  const Capture* const capture = queue->capture.get();
  status = cudaStreamCaptureStatusNone;
  if (capture != nullptr)
    status = capture->is_invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  if (graph != nullptr) *graph = capture == nullptr ? nullptr : capture->graph.get();
  return cudaSuccess;
}

void end_capture(const std::shared_ptr<Capture>& capture) {
  for (const auto& queue : capture->joined) {
    queue->capture.reset();
    queue->capture_tail.clear();
  }
  std::erase(Runtime::get().captures, capture);
}

}  // namespace

}  // namespace leat::cuda_fake

using namespace leat::cuda_fake;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return call("cudaStreamBeginCapture", Kind::plain, [&](Machine::Lock&) {
    const auto queue = queue_of(stream);
    if (queue == nullptr) return cudaErrorInvalidResourceHandle;
    if (queue->is_legacy) return cudaErrorStreamCaptureUnsupported;
    if (queue->capture != nullptr) return cudaErrorStreamCaptureUnmatched;
    queue->capture = std::make_shared<Capture>();
    queue->capture->graph = std::make_unique<CUgraph_st>();
    queue->capture->origin = queue.get();
    queue->capture->joined = {queue};
    queue->capture->mode = mode;
    queue->capture->thread = this_thread().number;
    Runtime::get().captures.push_back(queue->capture);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call("cudaStreamEndCapture", Kind::plain, [&](Machine::Lock&) {
    *graph = nullptr;
    const auto queue = queue_of(stream);
    if (queue == nullptr) return cudaErrorInvalidResourceHandle;
    if (queue->capture == nullptr || queue->capture->origin != queue.get())
      return cudaErrorStreamCaptureUnmatched;
    const std::shared_ptr<Capture> capture = queue->capture;
    if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != this_thread().number)
      return cudaErrorStreamCaptureWrongThread;
    const bool is_joined = all_joined(*capture);
    end_capture(capture);
    if (capture->is_invalid || !is_joined) {
      for (const cudaUserObject_t object : capture->graph->objects) release(object, 1);
      return capture->is_invalid ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureUnjoined;
    }
    *graph = capture->graph.release();
    Runtime::get().graphs.insert(*graph);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return call("cudaStreamIsCapturing", Kind::plain,
              [&](Machine::Lock&) { return get_capture(stream, *status, nullptr); });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  return call("cudaGraphInstantiate", Kind::unsafe, [&](Machine::Lock&) {
    if (!Runtime::get().graphs.contains(graph)) return cudaErrorInvalidResourceHandle;
    *exec = new CUgraphExec_st{graph->nodes, graph->objects};
    for (const cudaUserObject_t object : graph->objects) ++object->references;
    Runtime::get().execs.insert(*exec);
    return cudaSuccess;
  });
}

// Each node runs in a queue of its own, between two nodes of the stream.
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return call("cudaGraphLaunch", Kind::plain, [&](Machine::Lock& lock) {
    const auto queue = queue_of(stream);
    if (queue == nullptr || !Runtime::get().execs.contains(exec)) return cudaErrorInvalidResourceHandle;
    if (queue->capture != nullptr) return invalidate(queue->capture, cudaErrorNotSupported);
    Machine& machine = Machine::get();
    std::vector<NodePtr> earlier;
    if (exec->last != nullptr)
      earlier.push_back(exec->last);  // launches of one graph run one after the other
    const NodePtr start = machine.enqueue(lock, *queue, {.name = "graph"}, std::move(earlier));
    std::vector<NodePtr> launched;
    for (const GraphNode& node : exec->nodes) {
      std::vector<NodePtr> after{start};
      for (const std::size_t before : node.after) after.push_back(launched[before]);
      const auto own = machine.make_queue(queue->device, false);
      launched.push_back(machine.enqueue(lock, *own, node.work, std::move(after)));
      own->is_temporary = true;
    }
    exec->last = machine.enqueue(lock, *queue, {.name = "end of graph"}, std::move(launched));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return call("cudaGraphExecDestroy", Kind::ending, [&](Machine::Lock& lock) {
    if (Runtime::get().execs.erase(exec) == 0) return cudaErrorInvalidResourceHandle;
    Machine::get().wait_for(lock, exec->last);  // its objects are used until then
    for (const cudaUserObject_t object : exec->objects) release(object, 1);
    delete exec;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call("cudaGraphDestroy", Kind::ending, [&](Machine::Lock&) {
    if (Runtime::get().graphs.erase(graph) == 0) return cudaErrorInvalidResourceHandle;
    for (const cudaUserObject_t object : graph->objects) release(object, 1);
    delete graph;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long*, cudaGraph_t* graph) {
  return call("cudaStreamGetCaptureInfo", Kind::plain,
              [&](Machine::Lock&) { return get_capture(stream, *status, graph); });
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* value, cudaHostFn_t destroy,
                                 unsigned references, unsigned) {
  return call("cudaUserObjectCreate", Kind::plain, [&](Machine::Lock&) {
    *object = new CUuserObject_st{value, destroy, references};
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return call("cudaUserObjectRelease", Kind::ending, [&](Machine::Lock&) {
    release(object, count);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
  return call("cudaGraphRetainUserObject", Kind::plain, [&](Machine::Lock&) {
    if (count != 1) return cudaErrorInvalidValue;  // all that leat needs
    if (flags != cudaGraphUserObjectMove) ++object->references;
    graph->objects.push_back(object);
    return cudaSuccess;
  });
}

}  // extern "C"
