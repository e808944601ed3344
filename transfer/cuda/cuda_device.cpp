#include "leat/transfer/cuda/cuda_device.h"

#include <fmt/format.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <utility>

#include "leat/loader/os/numa.h"
#include "leat/transfer/cuda/batch_kernels.h"
#include "leat/transfer/cuda/copy_together.h"
#include "leat/transfer/cuda/cuda_devices.h"
#include "leat/transfer/cuda/foreign_wait.h"
#include "leat/transfer/cuda/normalize_kernel.h"

namespace leat::detail::cuda {
namespace {

std::string full_name(int ordinal) {
  const std::string name = fmt::format("cuda:{}", ordinal);
  cudaDeviceProp properties{};
  cuda::check(cudaGetDeviceProperties(&properties, ordinal), name, "cudaGetDeviceProperties");
  return fmt::format("{} ({})", name, properties.name);
}

// Returns the NUMA node of a GPU. A failure leaves it unknown, since only speed depends on it. An error after which the
// process cannot use its GPUs is not lost: CUDA returns it from every later call, too.
std::optional<int> host_node(int ordinal) {
  std::array<char, 32> address{};  // "0000:3B:00.0"
  const cudaError_t status = cudaDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()), ordinal);
  clear(status);
  return status == cudaSuccess ? numa_node_of_pci_device(address.data()) : std::nullopt;
}

void rethrow(const std::exception_ptr& failure) {
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace

CudaDevice::CudaDevice(int ordinal)
    : ordinal_(ordinal),
      name_(full_name(ordinal)),
      numa_node_(host_node(ordinal)),
      host_work_(name_),
      host_signals_(name_),
      peer_access_(ordinal, name_) {}

DeviceBuffer CudaDevice::allocate(std::size_t bytes) {
  const DeviceGuard current = guard();
  void* memory = nullptr;
  const std::size_t at_least_one = std::max<std::size_t>(bytes, 1);  // for 0 bytes CUDA returns null
  const cudaError_t status = cudaMalloc(&memory, at_least_one);
  if (status == cudaErrorMemoryAllocation) throw_out_of_memory(bytes);
  check(status, "cudaMalloc", bytes);
  return DeviceBuffer(*this, static_cast<std::byte*>(memory), bytes);
}

void CudaDevice::throw_out_of_memory(std::size_t bytes) const {
  clear(cudaErrorMemoryAllocation);
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  throw DeviceError(fmt::format("{}: cudaMalloc of {} bytes failed: only {} of {} bytes are free", name_,
                                bytes, free, total));
}

Stream CudaDevice::make_stream(StreamPriority priority) {
  const DeviceGuard current = guard();
  int least = 0, greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                     priority == StreamPriority::high ? greatest : least),
        "cudaStreamCreateWithPriority");
  return Stream(*this, stream);
}

Event CudaDevice::make_event(EventTiming timing) {
  const DeviceGuard current = guard();
  return Event(*this, new CudaEvent(name_, timing));
}

PinnedBuffer CudaDevice::allocate_pinned(std::size_t bytes) {
  const DeviceGuard current = guard();
  void* memory = nullptr;
  const std::size_t at_least_one = std::max<std::size_t>(bytes, 1);
  check(cudaHostAlloc(&memory, at_least_one, cudaHostAllocPortable), "cudaHostAlloc", bytes);
  return PinnedBuffer(*this, static_cast<std::byte*>(memory), bytes);
}

PinnedRegion CudaDevice::pin(std::span<std::byte> memory) {
  const DeviceGuard current = guard();
  if (memory.empty()) return PinnedRegion();
  check(cudaHostRegister(memory.data(), memory.size(), cudaHostRegisterPortable), "cudaHostRegister",
        memory.size());
  return PinnedRegion(*this, memory);
}

void CudaDevice::reach(const MemoryCopy& copy) {
  if (copy.bytes == 0 || !has_several_devices()) return;  // no copy needs to ask
  peer_access_.ensure(copy.to);
  peer_access_.ensure(copy.from);
}

void CudaDevice::copy(void* to, const void* from, std::size_t bytes, StreamRef stream) {
  const DeviceGuard current = guard();
  reach({to, from, bytes});
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, checked(stream)), "cudaMemcpyAsync", bytes);
}

void CudaDevice::copy_all(std::span<const MemoryCopy> copies, StreamRef stream) {
  const DeviceGuard current = guard();
  const cudaStream_t handle = checked(stream);
  CopyList list;
  for (const MemoryCopy& copy : copies) list.add(copy);
  if (!kCanCopyTogether || list.size() < 2 || handle == cudaStreamLegacy || is_capturing(stream)) {
    Device::copy_all(copies, stream);
    return;
  }
  for (const MemoryCopy& copy : copies) reach(copy);
  check(copy_together(list, handle), "cudaMemcpyBatchAsync", list.bytes());
}

void CudaDevice::fill_zero(void* memory, std::size_t bytes, StreamRef stream) {
  const DeviceGuard current = guard();
  check(cudaMemsetAsync(memory, 0, bytes, checked(stream)), "cudaMemsetAsync", bytes);
}

void CudaDevice::record(EventRef event, StreamRef stream) {
  const DeviceGuard current = guard();
  CudaEvent& target = checked(event);
  if (&event.device() != this) throw DeviceError(name_ + ": got an event of " + event.device().name());
  check(target.record(checked(stream), host_work_), "cudaEventRecord");
}

void CudaDevice::wait(StreamRef stream, EventRef event) {
  const DeviceGuard current = guard();
  const cudaStream_t waiting = checked(stream);
  if (event.device().kind() == DeviceKind::cuda) {
    check(checked(event).make_wait(waiting, host_work_), "cudaStreamWaitEvent");
  } else if (is_capturing(stream)) {
    throw DeviceError(fmt::format("{}: a stream that is being captured cannot wait for an event of {}", name_,
                                  event.device().name()));
  } else {
    wait_for_other(waiting, event);
  }
}

void CudaDevice::wait_for_other(cudaStream_t stream, EventRef event) {
  const auto wait = std::make_shared<ForeignWait>(host_signals_.make(), host_work_.log(stream));
  try {
    event.device().call_when_passed(event,
                                    [wait](std::exception_ptr failure) { wait->end(std::move(failure)); });
    if (!wait->has_ended()) host_signals_.make_wait(stream, wait->signal());
  } catch (...) {
    wait->end(nullptr);
    throw;
  }
}

// The handle keeps the recording. So the event may be recorded again, and destroyed, while a thread waits.
std::function<void()> CudaDevice::make_waiter(EventRef event) {
  const DeviceGuard current = guard();
  const Recording recording = checked(event).last();
  has_passed(recording);  // throws if the event was recorded in a capture
  return [this, recording] { synchronize(recording); };
}

// The legacy default stream waits for the default streams of all threads.
StreamRef CudaDevice::for_other_threads(StreamRef stream) {
  return stream.handle() == cudaStreamPerThread ? StreamRef(*this, cudaStreamLegacy) : stream;
}

bool CudaDevice::passed(EventRef event) {
  const DeviceGuard current = guard();
  return has_passed(checked(event).last());
}

bool CudaDevice::has_passed(const Recording& recording) const {
  const cudaError_t status = cudaEventQuery(recording.handle.get());
  if (status == cudaErrorNotReady) {
    cudaGetLastError();  // clears it: the next check of whoever else uses the runtime must not find it
    return false;
  }
  check(status, "cudaEventQuery");
  return true;
}

double CudaDevice::seconds_between(EventRef from, EventRef to) {
  const DeviceGuard current = guard();
  float milliseconds = 0;
  check(checked(from).elapsed(checked(to), milliseconds), "cudaEventElapsedTime");
  return static_cast<double>(milliseconds) / 1000;
}

void CudaDevice::synchronize(EventRef event) {
  synchronize(checked(event).last());
}

void CudaDevice::synchronize(const Recording& recording) const {
  const DeviceGuard current = guard();
  check(cudaEventSynchronize(recording.handle.get()), "cudaEventSynchronize");
  if (recording.carried.log != nullptr)
    rethrow(recording.carried.log->failure_before(recording.carried.position));
}

void CudaDevice::synchronize(StreamRef stream) {
  const DeviceGuard current = guard();
  wait_asleep(checked(stream));
  rethrow(host_work_.failure(checked(stream)));
}

// cudaStreamSynchronize() would spin or sleep as the device's flags say, which belong to the program.
void CudaDevice::wait_asleep(cudaStream_t stream) const {
  const EventHandle end = make_event_handle(name_);
  check(cudaEventRecord(end.get(), stream), "cudaEventRecord");
  check(cudaEventSynchronize(end.get()), "cudaEventSynchronize");
}

void CudaDevice::enqueue(StreamRef stream, std::function<void()> work) {
  const DeviceGuard current = guard();
  host_work_.enqueue(checked(stream), std::move(work));
}

void CudaDevice::normalize(void* to, const std::uint8_t* from, const PixelShape& shape,
                           const Normalization& how, StreamRef stream, const std::uint8_t* flipped_rows) {
  how.check(shape);
  const DeviceGuard current = guard();
  check(launch_normalize(to, from, flipped_rows, shape, how, checked(stream)),
        "the launch of the normalizing kernel");
}

void CudaDevice::apply(const BatchOperation& operation, StreamRef stream) {
  leat::check(operation);
  const DeviceGuard current = guard();
  check(launch_operation(operation, checked(stream)), "the launch of a batch operation's kernel");
}

std::shared_ptr<FailureLog> CudaDevice::failure_log(StreamRef stream) {
  const DeviceGuard current = guard();
  return host_work_.log(checked(stream));
}

cudaStream_t CudaDevice::checked(StreamRef stream) const {
  if (&stream.device() != this) throw DeviceError(name_ + ": got a stream of " + stream.device().name());
  if (stream.handle() == nullptr) throw DeviceError(name_ + ": got a stream that was moved from");
  return static_cast<cudaStream_t>(stream.handle());
}

CudaEvent& CudaDevice::checked(EventRef event) const {
  if (event.device().kind() != DeviceKind::cuda)
    throw DeviceError(name_ + ": got an event of " + event.device().name());
  if (event.handle() == nullptr) throw DeviceError(name_ + ": got a null event; make one with make_event()");
  return *static_cast<CudaEvent*>(event.handle());
}

bool CudaDevice::is_capturing(StreamRef stream) {
  const DeviceGuard current = guard();
  cudaStreamCaptureStatus status{};
  check(cudaStreamIsCapturing(checked(stream), &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

// Errors are not reported here, because a destructor cannot report them. If work on the GPU has failed, the next call
// finds that. Other errors are cleared: they would be blamed on the next call of somebody else.
void CudaDevice::destroy(StreamRef stream) noexcept {
  const RelaxedCaptures relaxed;
  const auto handle = static_cast<cudaStream_t>(stream.handle());
  try {
    const DeviceGuard current = guard();
    wait_asleep(handle);
  } catch (const std::exception&) {
    clear(cudaStreamSynchronize(handle));  // there may be no memory for an event
  }
  host_work_.forget(handle);
  clear(cudaStreamDestroy(handle));
}

void CudaDevice::destroy(EventRef event) noexcept {
  delete static_cast<CudaEvent*>(event.handle());
}

void CudaDevice::deallocate(MemoryKind kind, std::byte* memory, std::size_t) noexcept {
  const RelaxedCaptures relaxed;
  clear(kind == MemoryKind::device ? cudaFree(memory) : cudaFreeHost(memory));
}

void CudaDevice::unpin(std::span<std::byte> memory) noexcept {
  const RelaxedCaptures relaxed;
  clear(cudaHostUnregister(memory.data()));
}

void CudaDevice::begin_range(const char* name) noexcept {
  nvtxRangePushA(name);
}

void CudaDevice::end_range() noexcept {
  nvtxRangePop();
}

}  // namespace leat::detail::cuda
