// The GPUs of this machine as devices.
#include <fmt/format.h>

#include <map>
#include <mutex>

#include "leat/transfer/cuda/cuda_device.h"

namespace leat {

using namespace detail;

namespace {

cudaError_t count_devices(int& count) noexcept {
  count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    count = 0;
    cudaGetLastError();  // clears the error, which has been reported, for the next check
  }
  return status;
}

}  // namespace

Device& cuda_device(int ordinal) {
  // Never destroyed: other static objects may own streams and buffers, and CUDA may already be shut down at exit.
  static auto* const mutex = new std::mutex;
  static auto* const devices = new std::map<int, cuda::CudaDevice>;
  const int count = cuda_device_count();
  if (ordinal < 0 || ordinal >= count) {
    const std::string why =
        count > 0 ? fmt::format("there are {} GPUs, counted from 0", count) : cuda_unavailable_reason();
    throw DeviceError(fmt::format("cuda:{}: no such GPU: {}", ordinal, why));
  }
  const std::lock_guard lock(*mutex);
  return devices->try_emplace(ordinal, ordinal).first->second;
}

int cuda_device_count() noexcept {
  int count = 0;
  count_devices(count);
  return count;
}

std::string cuda_unavailable_reason() {
  int count = 0;
  const cudaError_t status = count_devices(count);
  if (status != cudaSuccess) return fmt::format("cudaGetDeviceCount: {}", cudaGetErrorString(status));
  return count > 0 ? std::string() : std::string("the CUDA driver reports no GPU");
}

}  // namespace leat
