// Errors of the CUDA runtime as exceptions, and the current device as a scope.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace leat::detail::cuda {

// Throws DeviceError "<device>: <call> of <bytes> bytes failed: <CUDA's text> (<CUDA's name>)" unless
// `status` is success. Clears the runtime's last error, so that the next check of it reports its own.
void check(cudaError_t status, std::string_view device, std::string_view call,
           std::optional<std::size_t> bytes = std::nullopt);

// Makes a device the calling thread's current one, and the one before current again at the end of the scope.
class DeviceGuard {
 public:
  DeviceGuard(int ordinal, std::string_view device);  // throws DeviceError
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard();

 private:
  int ordinal_;
  int before_ = 0;
};

}  // namespace leat::detail::cuda
