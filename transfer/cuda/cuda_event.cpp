#include "leat/transfer/cuda/cuda_event.h"

#include <utility>

namespace leat::detail::cuda {

EventHandle make_event_handle(const std::string& device, EventTiming timing) {
  cudaEvent_t event = nullptr;
  const unsigned times = timing == EventTiming::off ? cudaEventDisableTiming : cudaEventDefault;
  check(cudaEventCreateWithFlags(&event, times | cudaEventBlockingSync), device, "cudaEventCreateWithFlags");
  return EventHandle(event, [](cudaEvent_t unused) { clear(cudaEventDestroy(unused)); });
}

cudaError_t CudaEvent::record(cudaStream_t stream, const HostWork& host_work) {
  const std::lock_guard lock(mutex_);
  // Only last() adds owners, under the lock. One that goes away meanwhile costs nothing but a new event.
  EventHandle handle = last_.handle.use_count() > 1 ? make_event_handle(device_, timing_) : last_.handle;
  const cudaError_t status = cudaEventRecord(handle.get(), stream);
  if (status == cudaSuccess) last_ = {.handle = std::move(handle), .carried = host_work.mark(stream)};
  return status;
}

cudaError_t CudaEvent::make_wait(cudaStream_t stream, HostWork& host_work) {
  const std::lock_guard lock(mutex_);
  const cudaError_t status = cudaStreamWaitEvent(stream, last_.handle.get(), 0);
  if (status == cudaSuccess) host_work.add_wait(stream, last_.carried);
  return status;
}

cudaError_t CudaEvent::elapsed(const CudaEvent& to, float& milliseconds) const {
  const Recording first = last(), second = to.last();
  return cudaEventElapsedTime(&milliseconds, first.handle.get(), second.handle.get());
}

Recording CudaEvent::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

}  // namespace leat::detail::cuda
