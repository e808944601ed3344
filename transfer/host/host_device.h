// The CPU as a Device: streams are threads, memory is host memory, and pinning does nothing.
#pragma once

#include "leat/transfer/device.h"

namespace leat::detail {

class HostEvent;
class HostStream;

// Stateless: all state is in the streams and events. So every member is thread-safe, and no thread runs while no
// stream exists. Failures keep their type: synchronize() rethrows the exception itself (a CommunicationError, for
// example) for the stream, for an event recorded after the failure, and for streams that waited for such an event. A
// stream that failed stays failed.
class HostDevice final : public Device {
 public:
  DeviceKind kind() const noexcept override { return DeviceKind::host; }
  std::string name() const override { return "cpu"; }

  DeviceBuffer allocate(std::size_t bytes) override;
  Stream make_stream(StreamPriority priority) override;
  Event make_event(EventTiming timing) override;
  bool needs_pinned_memory() const noexcept override { return false; }
  PinnedBuffer allocate_pinned(std::size_t bytes) override;
  PinnedRegion pin(std::span<std::byte> memory) override;

  void copy(void* to, const void* from, std::size_t bytes, StreamRef stream) override;
  void fill_zero(void* memory, std::size_t bytes, StreamRef stream) override;

  void record(EventRef event, StreamRef stream) override;
  void wait(StreamRef stream, EventRef event) override;
  std::function<void()> make_waiter(EventRef event) override;
  void call_when_passed(EventRef event, std::function<void(std::exception_ptr)> then) override;
  bool runs_this_thread() const noexcept override;
  bool passed(EventRef event) override;
  double seconds_between(EventRef from, EventRef to) override;
  void synchronize(EventRef event) override;
  void synchronize(StreamRef stream) override;

  void enqueue(StreamRef stream, std::function<void()> work) override;
  void normalize(void* to, const std::uint8_t* from, const PixelShape& shape, const Normalization& how,
                 StreamRef stream, const std::uint8_t* flipped_rows) override;
  void apply(const BatchOperation& operation, StreamRef stream) override;

 private:
  HostStream& checked(StreamRef stream) const;  // throws DeviceError for a null stream or another device's
  HostEvent& checked(EventRef event) const;

  void destroy(StreamRef stream) noexcept override;
  void destroy(EventRef event) noexcept override;
  void deallocate(MemoryKind kind, std::byte* memory, std::size_t bytes) noexcept override;
  void unpin(std::span<std::byte> memory) noexcept override;
};

}  // namespace leat::detail
