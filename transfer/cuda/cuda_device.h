// A GPU as a Device, implemented with the CUDA runtime.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "leat/transfer/cuda/check.h"
#include "leat/transfer/cuda/cuda_event.h"
#include "leat/transfer/cuda/failure_log.h"
#include "leat/transfer/cuda/host_signals.h"
#include "leat/transfer/cuda/host_work.h"
#include "leat/transfer/cuda/peer_access.h"
#include "leat/transfer/device.h"

namespace leat::detail::cuda {

// Stream handles are of type cudaStream_t, created here or by a framework; the default streams are accepted. Event
// handles are of type CudaEvent*.
//
// Threads: every member may be called from any thread, and leaves the thread's current device unchanged. The state is
// constant after construction, except the last three members, which have locks of their own.
class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int ordinal);

  DeviceKind kind() const noexcept override { return DeviceKind::cuda; }
  std::string name() const override { return name_; }
  int ordinal() const noexcept override { return ordinal_; }
  std::optional<int> numa_node() const noexcept override { return numa_node_; }
  void* default_stream() const noexcept override { return cudaStreamLegacy; }

  DeviceBuffer allocate(std::size_t bytes) override;
  Stream make_stream(StreamPriority priority) override;
  Event make_event(EventTiming timing) override;
  PinnedBuffer allocate_pinned(std::size_t bytes) override;
  PinnedRegion pin(std::span<std::byte> memory) override;

  void copy(void* to, const void* from, std::size_t bytes, StreamRef stream) override;
  // Calls the runtime once, by copy_together(). Each copy is a call of its own if there is only one, if the toolkit
  // lacks the function, and where CUDA does not take it: on its legacy default stream, and in captures.
  void copy_all(std::span<const MemoryCopy> copies, StreamRef stream) override;
  void fill_zero(void* memory, std::size_t bytes, StreamRef stream) override;

  void record(EventRef event, StreamRef stream) override;
  void wait(StreamRef stream, EventRef event) override;
  std::function<void()> make_waiter(EventRef event) override;
  StreamRef for_other_threads(StreamRef stream) override;
  bool is_capturing(StreamRef stream) override;
  bool passed(EventRef event) override;
  double seconds_between(EventRef from, EventRef to) override;
  void synchronize(EventRef event) override;
  void synchronize(StreamRef stream) override;

  // CUDA does not know about failures of host work. After one, later host work on the stream is skipped, but kernels
  // and copies still run.
  void enqueue(StreamRef stream, std::function<void()> work) override;
  void normalize(void* to, const std::uint8_t* from, const PixelShape& shape, const Normalization& how,
                 StreamRef stream, const std::uint8_t* flipped_rows) override;
  void apply(const BatchOperation& operation, StreamRef stream) override;

  // Returns the log of a stream, for work that a library enqueues there and that may fail without CUDA's noticing, such
  // as a collective: add_work() before the library is called, and end_work() once the work has ended. If it failed,
  // end_work() comes before the stream may go on.
  std::shared_ptr<FailureLog> failure_log(StreamRef stream);

  void begin_range(const char* name) noexcept override;
  void end_range() noexcept override;

 private:
  void check(cudaError_t status, std::string_view call,
             std::optional<std::size_t> bytes = std::nullopt) const {
    cuda::check(status, name_, call, bytes);
  }
  [[noreturn]] void throw_out_of_memory(std::size_t bytes) const;
  DeviceGuard guard() const { return DeviceGuard(ordinal_, name_); }
  void reach(const MemoryCopy& copy);                        // ensures access to both ends
  cudaStream_t checked(StreamRef stream) const;              // throws DeviceError for another device's
  CudaEvent& checked(EventRef event) const;                  // of any GPU
  void wait_for_other(cudaStream_t stream, EventRef event);  // for an event of a device that is no GPU
  void wait_asleep(cudaStream_t stream) const;
  bool has_passed(const Recording& recording) const;
  void synchronize(const Recording& recording) const;

  void destroy(StreamRef stream) noexcept override;
  void destroy(EventRef event) noexcept override;
  void deallocate(MemoryKind kind, std::byte* memory, std::size_t bytes) noexcept override;
  void unpin(std::span<std::byte> memory) noexcept override;

  const int ordinal_;
  const std::string name_;
  const std::optional<int> numa_node_;
  HostWork host_work_;
  HostSignals host_signals_;
  PeerAccess peer_access_;
};

}  // namespace leat::detail::cuda
