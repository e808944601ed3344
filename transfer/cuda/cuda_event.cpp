#include "leat/transfer/cuda/cuda_event.h"

namespace leat::detail::cuda {

cudaError_t CudaEvent::record(cudaStream_t stream, const HostWork& host_work) {
  const std::lock_guard lock(mutex_);
  const cudaError_t status = cudaEventRecord(handle_, stream);
  if (status == cudaSuccess) carried_ = host_work.mark(stream);
  return status;
}

cudaError_t CudaEvent::make_wait(cudaStream_t stream, HostWork& host_work) {
  const std::lock_guard lock(mutex_);
  const cudaError_t status = cudaStreamWaitEvent(stream, handle_, 0);
  if (status == cudaSuccess) host_work.add_wait(stream, carried_);
  return status;
}

std::exception_ptr CudaEvent::failure() const {
  const std::lock_guard lock(mutex_);
  return carried_.log == nullptr ? nullptr : carried_.log->failure_before(carried_.position);
}

}  // namespace leat::detail::cuda
