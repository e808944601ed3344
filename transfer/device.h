// A device: memory, streams (queues of work that run in order, beside the host), events, and the few
// operations that loading needs. One interface; host/ runs it on CPU threads, cuda/ on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/transfer/normalize.h"

namespace leat {

class Device;

// A device call failed, or work on a stream did. The message names the device and the call.
class DeviceError : public Error {
 public:
  using Error::Error;
};

enum class DeviceKind { host, cuda };

// A stream that somebody else owns: cheap to copy, always passed explicitly. For CUDA, `handle` is a
// cudaStream_t, so a framework's stream can be wrapped; the legacy default stream (a null handle) is refused
// by every operation.
class StreamRef {
 public:
  StreamRef(Device& device, void* handle) noexcept : device_(&device), handle_(handle) {}
  StreamRef(Device& device, std::nullptr_t) = delete;
  Device& device() const noexcept { return *device_; }
  void* handle() const noexcept { return handle_; }
  void synchronize() const;  // blocks the host until the stream is empty; throws what failed on it

  friend bool operator==(const StreamRef&, const StreamRef&) = default;

 private:
  Device* device_;
  void* handle_;
};

class EventRef {
 public:
  EventRef(Device& device, void* handle) noexcept : device_(&device), handle_(handle) {}
  EventRef(Device& device, std::nullptr_t) = delete;
  Device& device() const noexcept { return *device_; }
  void* handle() const noexcept { return handle_; }

  friend bool operator==(const EventRef&, const EventRef&) = default;

 private:
  Device* device_;
  void* handle_;
};

// The owner of what a Ref names. Assigning to it destroys what it held before; moved from, it holds nothing.
template <class Ref>
class Owned {
 public:
  Owned(Device& device, void* handle) noexcept : ref_(device, handle) {}
  Owned(Device& device, std::nullptr_t) = delete;
  Owned(Owned&& other) noexcept : ref_(other.take()) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this == &other) return *this;
    release();
    ref_ = other.take();
    return *this;
  }
  ~Owned() { release(); }
  Ref ref() const noexcept { return ref_; }
  operator Ref() const noexcept { return ref_; }  // NOLINT: an owner is usable wherever a ref is

 private:
  Ref take() noexcept { return std::exchange(ref_, Ref(ref_.device(), static_cast<void*>(nullptr))); }
  void release() noexcept;
  Ref ref_;
};

// The owner of a stream. Its destructor waits until the stream is empty.
using Stream = Owned<StreamRef>;

// The owner of an event: a mark in a stream that others can wait for. An event that was never recorded has
// passed.
using Event = Owned<EventRef>;

// The owner of device memory, aligned to 256 bytes at least, not initialized. Whoever frees it has made sure
// that no stream still uses it.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(Device& device, std::byte* data, std::size_t size) noexcept
      : device_(&device), data_(data), size_(size) {}
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : device_(other.device_),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    if (this == &other) return *this;
    release();
    device_ = other.device_;
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~DeviceBuffer() { release(); }
  std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

 private:
  void release() noexcept;

  Device* device_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// The owner of a page-lock on host memory, which lets copies run asynchronously at the bus's full speed.
class PinnedRegion {
 public:
  PinnedRegion() = default;
  PinnedRegion(Device& device, std::span<std::byte> memory) noexcept : device_(&device), memory_(memory) {}
  PinnedRegion(PinnedRegion&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)), memory_(other.memory_) {}
  PinnedRegion& operator=(PinnedRegion&& other) noexcept {
    if (this == &other) return *this;
    release();
    device_ = std::exchange(other.device_, nullptr);
    memory_ = other.memory_;
    return *this;
  }
  ~PinnedRegion() { release(); }
  explicit operator bool() const noexcept { return device_ != nullptr; }

 private:
  void release() noexcept;

  Device* device_ = nullptr;
  std::span<std::byte> memory_;
};

// Devices live as long as the process; get one from host_device() or cuda_device(). Every member is
// thread-safe. Members that take a stream enqueue and return; what fails later is thrown by synchronize() of
// that stream, of an event recorded behind the failure, or of a stream that waited for such an event. It is
// thrown as the exception that it was, each time anew: a stream that failed stays failed. Its events pass all
// the same, so nobody hangs on it. What the device itself finds wrong is a DeviceError; so is a stream or an
// event that is null or another device's.
class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  virtual DeviceKind kind() const noexcept = 0;
  virtual std::string name() const = 0;  // "cpu", "cuda:0 (NVIDIA H200)"

  virtual DeviceBuffer allocate(std::size_t bytes) = 0;
  virtual Stream make_stream() = 0;
  virtual Event make_event() = 0;

  // Page-locks host memory (page-aligned, mapped shared). On the host device there is nothing to do.
  virtual PinnedRegion pin(std::span<std::byte> memory) = 0;

  // Copies between host memory and this device's, in either direction, or within either. The source is
  // unchanged and both are alive until the stream has passed this point.
  virtual void copy(void* to, const void* from, std::size_t bytes, StreamRef stream) = 0;
  virtual void fill_zero(void* memory, std::size_t bytes, StreamRef stream) = 0;

  virtual void record(EventRef event, StreamRef stream) = 0;
  virtual void wait(StreamRef stream, EventRef event) = 0;  // the stream waits; the host does not
  virtual bool passed(EventRef event) = 0;
  virtual void synchronize(EventRef event) = 0;  // the host waits
  virtual void synchronize(StreamRef stream) = 0;

  // Runs `work` on the host in the stream's order. It must not call into this device, nor wait for work of another
  // stream: a device may run all streams' host work on one thread (CUDA does). What it throws is the stream's
  // failure: host work behind it is skipped; on the host device so is everything else.
  virtual void enqueue(StreamRef stream, std::function<void()> work) = 0;

  // Pixels, u8 NHWC, to normalized floating point; see normalize.h.
  virtual void normalize(void* to, const std::uint8_t* from, const PixelShape& shape,
                         const Normalization& how, StreamRef stream) = 0;

  // For a profiler of the device's (NVTX ranges, on CUDA): what this thread does until the matching end_range().
  // Ranges of a thread nest. Use ProfilerRange.
  virtual void begin_range(const char* name) noexcept { (void)name; }
  virtual void end_range() noexcept {}

 protected:
  Device() = default;

 private:
  template <class Ref>
  friend class Owned;
  friend class DeviceBuffer;
  friend class PinnedRegion;
  virtual void destroy(StreamRef stream) noexcept = 0;  // not a null one
  virtual void destroy(EventRef event) noexcept = 0;
  virtual void deallocate(std::byte* memory, std::size_t bytes) noexcept = 0;
  virtual void unpin(std::span<std::byte> memory) noexcept = 0;
};

template <class Ref>
void Owned<Ref>::release() noexcept {
  if (ref_.handle() != nullptr) ref_.device().destroy(ref_);
}

// Begins a range for the profiler, and ends it with its own life.
class ProfilerRange {
 public:
  ProfilerRange(Device& device, const char* name) noexcept : device_(device) { device.begin_range(name); }
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
  ~ProfilerRange() { device_.end_range(); }

 private:
  Device& device_;
};

// The CPU as a device: streams are threads, memory is host memory.
Device& host_device();

// GPU `ordinal`. Throws DeviceError where there is none, or where leat was built without CUDA.
Device& cuda_device(int ordinal = 0);

// How many GPUs cuda_device() would give; 0 without CUDA or without a driver, never an error.
int cuda_device_count() noexcept;

// Why cuda_device_count() is 0, in words ("built without CUDA"); empty where it is not.
std::string cuda_unavailable_reason();

}  // namespace leat
