#include "leat/transfer/cuda/cuda_device.h"

#include <fmt/format.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "leat/transfer/cuda/normalize_kernel.h"

namespace leat::detail::cuda {
namespace {

std::string full_name(int ordinal) {
  const std::string name = fmt::format("cuda:{}", ordinal);
  cudaDeviceProp properties{};
  cuda::check(cudaGetDeviceProperties(&properties, ordinal), name, "cudaGetDeviceProperties");
  return fmt::format("{} ({})", name, properties.name);
}

}  // namespace

CudaDevice::CudaDevice(int ordinal) : ordinal_(ordinal), name_(full_name(ordinal)) {}

DeviceBuffer CudaDevice::allocate(std::size_t bytes) {
  const DeviceGuard current = guard();
  void* memory = nullptr;
  const std::size_t at_least_one = std::max<std::size_t>(bytes, 1);  // for 0 bytes CUDA returns null
  check(cudaMalloc(&memory, at_least_one), "cudaMalloc", bytes);
  return DeviceBuffer(*this, static_cast<std::byte*>(memory), bytes);
}

Stream CudaDevice::make_stream() {
  const DeviceGuard current = guard();
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return Stream(*this, stream);
}

Event CudaDevice::make_event() {
  const DeviceGuard current = guard();
  cudaEvent_t event = nullptr;
  // Blocking: a host thread that waits for the event sleeps and leaves its core to the workers.
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync),
        "cudaEventCreateWithFlags");
  return Event(*this, new CudaEvent(event));
}

PinnedRegion CudaDevice::pin(std::span<std::byte> memory) {
  const DeviceGuard current = guard();
  if (memory.empty()) return PinnedRegion();
  check(cudaHostRegister(memory.data(), memory.size(), cudaHostRegisterPortable), "cudaHostRegister",
        memory.size());
  return PinnedRegion(*this, memory);
}

void CudaDevice::copy(void* to, const void* from, std::size_t bytes, StreamRef stream) {
  const DeviceGuard current = guard();
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, checked(stream)), "cudaMemcpyAsync", bytes);
}

void CudaDevice::fill_zero(void* memory, std::size_t bytes, StreamRef stream) {
  const DeviceGuard current = guard();
  check(cudaMemsetAsync(memory, 0, bytes, checked(stream)), "cudaMemsetAsync", bytes);
}

void CudaDevice::record(EventRef event, StreamRef stream) {
  const DeviceGuard current = guard();
  check(checked(event).record(checked(stream), host_work_), "cudaEventRecord");
}

void CudaDevice::wait(StreamRef stream, EventRef event) {
  const DeviceGuard current = guard();
  check(checked(event).make_wait(checked(stream), host_work_), "cudaStreamWaitEvent");
}

bool CudaDevice::passed(EventRef event) {
  const DeviceGuard current = guard();
  const cudaError_t status = checked(event).query();
  if (status == cudaErrorNotReady) return false;
  check(status, "cudaEventQuery");
  return true;
}

void CudaDevice::synchronize(EventRef event) {
  const DeviceGuard current = guard();
  check(checked(event).synchronize(), "cudaEventSynchronize");
  checked(event).rethrow();
}

void CudaDevice::synchronize(StreamRef stream) {
  const DeviceGuard current = guard();
  check(cudaStreamSynchronize(checked(stream)), "cudaStreamSynchronize");
  host_work_.rethrow(checked(stream));
}

void CudaDevice::enqueue(StreamRef stream, std::function<void()> work) {
  const DeviceGuard current = guard();
  check(host_work_.enqueue(checked(stream), std::move(work)), "cudaLaunchHostFunc");
}

void CudaDevice::normalize(void* to, const std::uint8_t* from, const PixelShape& shape,
                           const Normalization& how, StreamRef stream) {
  how.check(shape);
  const DeviceGuard current = guard();
  check(launch_normalize(to, from, shape, how, checked(stream)), "the launch of the normalizing kernel");
}

cudaStream_t CudaDevice::checked(StreamRef stream) const {
  if (&stream.device() != this) throw DeviceError(name_ + ": got a stream of " + stream.device().name());
  const auto handle = static_cast<cudaStream_t>(stream.handle());
  if (handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread) {
    throw DeviceError(name_ +
                      ": got a default stream; make one with make_stream(), or wrap a stream of your own");
  }
  return handle;
}

CudaEvent& CudaDevice::checked(EventRef event) const {
  if (&event.device() != this) throw DeviceError(name_ + ": got an event of " + event.device().name());
  if (event.handle() == nullptr) throw DeviceError(name_ + ": got a null event; make one with make_event()");
  return *static_cast<CudaEvent*>(event.handle());
}

// Errors are not reported here, because a destructor cannot report them. CUDA keeps the error, so the next call finds
// it.
void CudaDevice::destroy(StreamRef stream) noexcept {
  const auto handle = static_cast<cudaStream_t>(stream.handle());
  cudaStreamSynchronize(handle);
  host_work_.forget(handle);
  cudaStreamDestroy(handle);
}

void CudaDevice::destroy(EventRef event) noexcept {
  delete static_cast<CudaEvent*>(event.handle());
}

void CudaDevice::deallocate(std::byte* memory, std::size_t) noexcept {
  cudaFree(memory);
}

void CudaDevice::unpin(std::span<std::byte> memory) noexcept {
  cudaHostUnregister(memory.data());
}

void CudaDevice::begin_range(const char* name) noexcept {
  nvtxRangePushA(name);
}

void CudaDevice::end_range() noexcept {
  nvtxRangePop();
}

}  // namespace leat::detail::cuda
