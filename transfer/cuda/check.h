// CUDA runtime errors as exceptions, and a guard for the current device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace leat::detail::cuda {

// Throws DeviceError "<device>: <call> of <bytes> bytes failed: <CUDA's text> (<CUDA's name>)" unless `status` is
// cudaSuccess. Clears the runtime's last error, so that the next check does not report this one again. Says so if
// the error is one of work on a GPU, after which CUDA refuses every call.
void check(cudaError_t status, std::string_view device, std::string_view call,
           std::optional<std::size_t> bytes = std::nullopt);

// Clears the runtime's last error where `status` is one, and nobody can be told.
void clear(cudaError_t status) noexcept;

// While it lives, the calling thread may make calls that wait or allocate though streams are being captured into
// graphs. Otherwise such a call would fail, and break the capture.
class RelaxedCaptures {
 public:
  RelaxedCaptures() noexcept : is_relaxed_(exchange()) {}
  RelaxedCaptures(const RelaxedCaptures&) = delete;
  RelaxedCaptures& operator=(const RelaxedCaptures&) = delete;
  ~RelaxedCaptures() {
    if (is_relaxed_) exchange();
  }

 private:
  bool exchange() noexcept;

  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  // what the thread does not have at the moment
  const bool is_relaxed_;
};

// Makes a device the calling thread's current device, and allows all calls during captures. The destructor restores
// what was before.
class DeviceGuard {
 public:
  DeviceGuard(int ordinal, std::string_view device);  // throws DeviceError
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard();

 private:
  const RelaxedCaptures relaxed_;
  int ordinal_;
  int before_ = 0;
};

}  // namespace leat::detail::cuda
