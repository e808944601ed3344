// CUDA runtime errors as exceptions, and a guard for the current device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace leat::detail::cuda {

// Throws DeviceError "<device>: <call> of <bytes> bytes failed: <CUDA's text> (<CUDA's name>)" unless `status` is
// cudaSuccess. Clears the runtime's last error, so that the next check does not report this one again. Says so if it
// cannot be cleared, because work on a GPU has failed: then every later call fails, too.
void check(cudaError_t status, std::string_view device, std::string_view call,
           std::optional<std::size_t> bytes = std::nullopt);

// Makes a device the calling thread's current device. The destructor restores the previous one.
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
