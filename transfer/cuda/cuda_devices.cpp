// The GPUs of this machine as devices.
#include <fmt/format.h>

#include <map>
#include <mutex>

#include "leat/transfer/cuda/cuda_device.h"

namespace leat {

using namespace detail;

namespace {

struct Gpus {
  int count = 0;
  std::string reason{};  // why there are none; empty if there are some
};

Gpus find_gpus() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return {.count = count};
  if (status == cudaSuccess) return {.reason = "the CUDA driver reports no GPU"};
  cudaGetLastError();  // clears the error, which is reported, for the next check
  return {.reason = fmt::format("cudaGetDeviceCount: {} ({})", cudaGetErrorString(status),
                                cudaGetErrorName(status))};
}

}  // namespace

Device& cuda_device(int ordinal) {
  // Never destroyed: other static objects may own streams and buffers, and CUDA may already be shut down at exit.
  static auto* const mutex = new std::mutex;
  static auto* const devices = new std::map<int, cuda::CudaDevice>;
  const Gpus gpus = find_gpus();
  if (ordinal < 0 || ordinal >= gpus.count) {
    throw DeviceError(fmt::format(
        "cuda:{}: no such GPU: {}", ordinal,
        gpus.count > 0 ? fmt::format("there are {} GPUs, counted from 0", gpus.count) : gpus.reason));
  }
  const std::lock_guard lock(*mutex);
  return devices->try_emplace(ordinal, ordinal).first->second;
}

int cuda_device_count() noexcept {
  return find_gpus().count;
}

std::string cuda_unavailable_reason() {
  return find_gpus().reason;
}

}  // namespace leat
