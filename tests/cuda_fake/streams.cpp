// Streams and events.
#include <pthread.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include "tests/cuda_fake/runtime.h"

using namespace leat::cuda_fake;

namespace {

bool is_event(cudaEvent_t event) {
  return Runtime::get().events.contains(event);
}

// The thread that follows collectives tells no other thread which events have passed. So what it has seen does not
// happen before what others do.
bool is_watchdog() {
  std::array<char, 16> name{};
  return pthread_getname_np(pthread_self(), name.data(), name.size()) == 0 &&
         std::string_view(name.data()) == "leat-watchdog";
}

// A stream that captures cannot be waited for.
cudaError_t check_not_captured(const Queue& queue) {
  return queue.capture == nullptr ? cudaSuccess
                                  : invalidate(queue.capture, cudaErrorStreamCaptureUnsupported);
}

cudaError_t wait_captured(const std::shared_ptr<Queue>& queue, const CUevent_st& event) {
  if (queue->capture != nullptr && event.capture == nullptr)
    return invalidate(queue->capture, cudaErrorStreamCaptureIsolation);
  if (queue->capture != nullptr && queue->capture != event.capture) {
    invalidate(event.capture, cudaErrorStreamCaptureMerge);
    return invalidate(queue->capture, cudaErrorStreamCaptureMerge);
  }
  if (queue->capture == nullptr) {
    queue->capture = event.capture;
    event.capture->joined.push_back(queue);
  }
  for (const std::size_t node : event.capture_tail) {
    if (std::ranges::find(queue->capture_tail, node) == queue->capture_tail.end())
      queue->capture_tail.push_back(node);
  }
  return cudaSuccess;
}

cudaStream_t make_stream(unsigned flags) {
  const bool is_blocking = (flags & cudaStreamNonBlocking) == 0;
  return *Runtime::get()
              .streams.insert(new CUstream_st{Machine::get().make_queue(this_thread().device, is_blocking)})
              .first;
}

}  // namespace

extern "C" {

// --- Streams.

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return call("cudaStreamCreateWithFlags", Kind::plain, [&](Machine::Lock&) {
    *stream = make_stream(flags);
    return cudaSuccess;
  });
}

// Priorities change nothing here: a stream's work never has an order that a test may rely on.
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call("cudaDeviceGetStreamPriorityRange", Kind::plain, [&](Machine::Lock&) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return call("cudaStreamCreateWithPriority", Kind::plain, [&](Machine::Lock&) {
    *stream = make_stream(flags);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call("cudaStreamDestroy", Kind::ending, [&](Machine::Lock&) {
    if (Runtime::get().streams.erase(stream) == 0) return cudaErrorInvalidResourceHandle;
    if (stream->queue->capture != nullptr) stream->queue->capture->is_invalid = true;
    Machine::get().drop_queue(stream->queue);
    delete stream;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call_on(stream, "cudaStreamSynchronize", Kind::unsafe,
                 [&](Machine::Lock& lock, const std::shared_ptr<Queue>& queue) {
                   if (const cudaError_t error = check_not_captured(*queue); error != cudaSuccess)
                     return error;
                   ++Runtime::get().counts.spinning_waits;
                   Machine::get().wait_for(lock, queue->last);
                   return Runtime::get().lost;
                 });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return call_on(stream, "cudaStreamQuery", Kind::unsafe,
                 [&](Machine::Lock& lock, const std::shared_ptr<Queue>& queue) {
                   if (const cudaError_t error = check_not_captured(*queue); error != cudaSuccess)
                     return error;
                   if (queue->last == nullptr) return cudaSuccess;
                   if (!queue->last->is_done) {
                     Machine::get().let_one_run(lock);
                     return cudaErrorNotReady;
                   }
                   Machine::get().observe(*queue->last);
                   return cudaSuccess;
                 });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return call("cudaStreamGetId", Kind::plain, [&](Machine::Lock&) {
    const auto queue = queue_of(stream);
    if (queue == nullptr) return cudaErrorInvalidResourceHandle;
    *id = queue->id;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return call_on(stream, "cudaStreamWaitEvent", Kind::plain,
                 [&](Machine::Lock& lock, const std::shared_ptr<Queue>& queue) {
                   if (!is_event(event)) return cudaErrorInvalidResourceHandle;
                   if (event->capture != nullptr || queue->capture != nullptr)
                     return wait_captured(queue, *event);
                   if (event->last != nullptr)
                     Machine::get().enqueue(lock, *queue, {.name = "wait"}, {event->last});
                   return cudaSuccess;
                 });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument) {
  return call_on(
      stream, "cudaLaunchHostFunc", Kind::plain,
      [&](Machine::Lock& lock, const std::shared_ptr<Queue>& queue) {
        ++Runtime::get().counts.host_functions;
        Runtime::get().enqueue(
            lock, *queue,
            {.name = "host function", .run = [=] { function(argument); }, .is_host_function = true});
        return cudaSuccess;
      });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return call("cudaThreadExchangeStreamCaptureMode", Kind::plain, [&](Machine::Lock&) {
    *mode = std::exchange(this_thread().capture_mode, *mode);
    return cudaSuccess;
  });
}

// --- Events.

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call("cudaEventCreateWithFlags", Kind::plain, [&](Machine::Lock&) {
    *event = new CUevent_st{.device = this_thread().device,
                            .has_timing = (flags & cudaEventDisableTiming) == 0,
                            .is_slept_for = (flags & cudaEventBlockingSync) != 0};
    Runtime::get().events.insert(*event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call("cudaEventDestroy", Kind::ending, [&](Machine::Lock&) {
    if (Runtime::get().events.erase(event) == 0) return cudaErrorInvalidResourceHandle;
    delete event;
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call_on(
      stream, "cudaEventRecord", Kind::plain, [&](Machine::Lock& lock, const std::shared_ptr<Queue>& queue) {
        if (!is_event(event) || event->device != queue->device) return cudaErrorInvalidResourceHandle;
        event->capture = queue->capture;
        event->capture_tail = queue->capture_tail;
        event->last =
            queue->capture == nullptr ? Machine::get().enqueue(lock, *queue, {.name = "record"}) : nullptr;
        return cudaSuccess;
      });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call("cudaEventQuery", Kind::unsafe, [&](Machine::Lock& lock) {
    if (!is_event(event)) return cudaErrorInvalidResourceHandle;
    if (event->capture != nullptr) return invalidate(event->capture, cudaErrorCapturedEvent);
    if (event->last == nullptr) return cudaSuccess;
    if (!event->last->is_done) {
      Machine::get().let_one_run(lock);
      return cudaErrorNotReady;
    }
    if (!is_watchdog()) Machine::get().observe(*event->last);
    return cudaSuccess;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call("cudaEventSynchronize", Kind::unsafe, [&](Machine::Lock& lock) {
    if (!is_event(event)) return cudaErrorInvalidResourceHandle;
    if (event->capture != nullptr) return invalidate(event->capture, cudaErrorCapturedEvent);
    if (!event->is_slept_for) ++Runtime::get().counts.spinning_waits;
    const NodePtr recorded = event->last;  // the event may be recorded again, or destroyed, meanwhile
    Machine::get().wait_for(lock, recorded);
    return Runtime::get().lost;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call("cudaEventElapsedTime", Kind::plain, [&](Machine::Lock&) {
    if (!is_event(start) || !is_event(end) || !start->has_timing || !end->has_timing ||
        start->last == nullptr || end->last == nullptr)
      return cudaErrorInvalidResourceHandle;
    if (!start->last->is_done || !end->last->is_done) return cudaErrorNotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(end->last->end - start->last->end).count();
    return cudaSuccess;
  });
}

}  // extern "C"
