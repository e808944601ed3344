// An owned CUDA event.
#pragma once

#include <cuda_runtime_api.h>

#include <exception>
#include <mutex>

#include "leat/transfer/cuda/host_work.h"

namespace leat::detail::cuda {

// Thread-safe. The members return the status of the
// event's own call, and throw what HostWork throws.
class CudaEvent {
 public:
  explicit CudaEvent(cudaEvent_t handle) noexcept : handle_(handle) {}
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
  ~CudaEvent() { clear(cudaEventDestroy(handle_)); }  // CUDA keeps the event until work that uses it is done

  cudaError_t record(cudaStream_t stream, const HostWork& host_work);
  cudaError_t make_wait(cudaStream_t stream, HostWork& host_work);
  cudaError_t query() const { return cudaEventQuery(handle_); }
  // Of the newest recordings of both, which must have passed. Returns the status, as the others do.
  cudaError_t elapsed(const CudaEvent& to, float& milliseconds) const {
    return cudaEventElapsedTime(&milliseconds, handle_, to.handle_);
  }
  cudaError_t synchronize() const { return cudaEventSynchronize(handle_); }
  std::exception_ptr failure() const;  // before a synchronized event, on its stream; null if there is none

 private:
  const cudaEvent_t handle_;
  mutable std::mutex mutex_;  // held during a recording, so that handle_ and carried_ match
  FailureMark carried_;       // guarded by mutex_
};

}  // namespace leat::detail::cuda
