#include "leat/transfer/cuda/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "leat/transfer/device.h"

namespace leat::detail::cuda {

namespace {

// The errors after which the process must end to use CUDA again, by the descriptions in CUDA's reference.
bool is_of_earlier_work(cudaError_t status) noexcept {
  constexpr std::array kErrors{
      cudaErrorIllegalAddress,      cudaErrorLaunchTimeout,      cudaErrorAssert,
      cudaErrorHardwareStackError,  cudaErrorIllegalInstruction, cudaErrorMisalignedAddress,
      cudaErrorInvalidAddressSpace, cudaErrorInvalidPc,          cudaErrorLaunchFailure,
      cudaErrorECCUncorrectable};
  return std::ranges::find(kErrors, status) != kErrors.end();
}

}  // namespace

void check(cudaError_t status, std::string_view device, std::string_view call,
           std::optional<std::size_t> bytes) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw DeviceError(fmt::format(
      "{}: {}{} failed: {} ({}){}", device, call, bytes ? fmt::format(" of {} bytes", *bytes) : "",
      cudaGetErrorString(status), cudaGetErrorName(status),
      is_of_earlier_work(status)
          ? "; work that was enqueued earlier may be the cause, and this process can use its GPUs no more"
          : ""));
}

void clear(cudaError_t status) noexcept {
  if (status != cudaSuccess) cudaGetLastError();
}

bool RelaxedCaptures::exchange() noexcept {
  const cudaError_t status = cudaThreadExchangeStreamCaptureMode(&mode_);
  clear(status);  // it fails if the GPU is lost, as the next call will tell
  return status == cudaSuccess;
}

DeviceGuard::DeviceGuard(int ordinal, std::string_view device) : ordinal_(ordinal) {
  check(cudaGetDevice(&before_), device, "cudaGetDevice");
  if (before_ != ordinal_) check(cudaSetDevice(ordinal_), device, "cudaSetDevice");
}

DeviceGuard::~DeviceGuard() {
  if (before_ != ordinal_) cudaSetDevice(before_);
}

}  // namespace leat::detail::cuda
