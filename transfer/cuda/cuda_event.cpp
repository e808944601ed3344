#include "leat/transfer/cuda/cuda_event.h"

namespace leat::detail::cuda {

cudaError_t CudaEvent::record(cudaStream_t stream, HostWork& host_work) {
  const std::lock_guard lock(mutex_);
  const cudaError_t status = host_work.carry(stream, carried_);
  return status == cudaSuccess ? cudaEventRecord(handle_, stream) : status;
}

cudaError_t CudaEvent::make_wait(cudaStream_t stream, HostWork& host_work) {
  const std::lock_guard lock(mutex_);
  const cudaError_t status = cudaStreamWaitEvent(stream, handle_, 0);
  if (status != cudaSuccess || carried_ == nullptr) return status;
  return host_work.take_over(stream, carried_);
}

void CudaEvent::rethrow() const {
  const std::lock_guard lock(mutex_);
  if (carried_ != nullptr) carried_->rethrow();
}

}  // namespace leat::detail::cuda
