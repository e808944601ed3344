#include "leat/transfer/cuda/cuda_devices.h"

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <mutex>

#include "leat/datasets/base/process_identity.h"
#include "leat/transfer/cuda/cuda_device.h"
#include "leat/transfer/host/gpu_memory.h"

namespace leat {

using namespace detail;

namespace {

// Number of GPUs that have a Device, and the process that made the first of them.
std::atomic<int> devices_made{0};
const ProcessIdentity& first_user() {
  static const ProcessIdentity process;
  return process;
}

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
  const auto [device, is_new] = devices->try_emplace(ordinal, ordinal);
  if (is_new) {
    first_user();
    ++devices_made;
  }
  return device->second;
}

int cuda_device_count() noexcept {
  return find_gpus().count;
}

std::string cuda_unavailable_reason() {
  return find_gpus().reason;
}

namespace detail {

bool cuda::has_several_devices() noexcept {
  return devices_made > 1;
}

std::string gpu_of(const void* memory) {
  if (devices_made == 0 || !first_user().is_current()) return {};
  cudaPointerAttributes attributes{};
  const cudaError_t status = cudaPointerGetAttributes(&attributes, memory);
  cuda::clear(status);  // a GPU that is lost does not keep the CPU from copying
  const bool is_gpu = status == cudaSuccess && attributes.type == cudaMemoryTypeDevice;
  return is_gpu ? fmt::format("cuda:{}", attributes.device) : "";
}

}  // namespace detail

}  // namespace leat
