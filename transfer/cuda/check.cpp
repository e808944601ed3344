#include "leat/transfer/cuda/check.h"

#include <fmt/format.h>

#include "leat/transfer/device.h"

namespace leat::detail::cuda {

void check(cudaError_t status, std::string_view device, std::string_view call,
           std::optional<std::size_t> bytes) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  const bool is_lost = cudaPeekAtLastError() != cudaSuccess;  // an error that cannot be cleared
  throw DeviceError(fmt::format(
      "{}: {}{} failed: {} ({}){}", device, call, bytes ? fmt::format(" of {} bytes", *bytes) : "",
      cudaGetErrorString(status), cudaGetErrorName(status),
      is_lost ? "; work that was enqueued earlier may be the cause, and this process can use its GPUs no more"
              : ""));
}

DeviceGuard::DeviceGuard(int ordinal, std::string_view device) : ordinal_(ordinal) {
  check(cudaGetDevice(&before_), device, "cudaGetDevice");
  if (before_ != ordinal_) check(cudaSetDevice(ordinal_), device, "cudaSetDevice");
}

DeviceGuard::~DeviceGuard() {
  if (before_ != ordinal_) cudaSetDevice(before_);
}

}  // namespace leat::detail::cuda
