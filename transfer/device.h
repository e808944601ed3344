/// \file
/// Devices: their memory, streams and events, and the few operations on them that data loading needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/export.h"
#include "leat/transfer/batch_operations.h"
#include "leat/transfer/normalize.h"

namespace leat {

class Device;
template <class Ref>
class Owned;

/// Reports that a call of a device failed, or work on one of its streams. The message names the device and the call.
class LEAT_EXPORT DeviceError : public Error {
 public:
  using Error::Error;
};

/// Kinds of devices.
enum class DeviceKind {
  host,  ///< the CPU
  cuda   ///< a GPU of NVIDIA's
};

/// Refers to a stream, a queue of work that a device carries out in order, without owning it. Cheap to copy.
class LEAT_EXPORT StreamRef {
 public:
  /// Refers to a stream of `device`. For CUDA, `handle` is a cudaStream_t, so that a framework's stream can be used;
  /// null is CUDA's legacy default stream, and cudaStreamPerThread the default stream of the thread that uses the
  /// reference. The CPU has no default stream: every operation on a null handle throws DeviceError.
  inline StreamRef(Device& device, void* handle) noexcept;
  Device& device() const noexcept { return *device_; }  ///< the device whose stream it is
  void* handle() const noexcept { return handle_; }     ///< the device's own name for the stream; null: none

  /// Blocks the calling thread until the stream is empty. Throws what failed on the stream.
  void synchronize() const;

  /// Compares devices and handles.
  friend bool operator==(const StreamRef&, const StreamRef&) = default;

 private:
  template <class Ref>
  friend class Owned;
  explicit StreamRef(Device& device) noexcept : device_(&device), handle_(nullptr) {}  // refers to no stream

  Device* device_;
  void* handle_;
};

/// How urgent the work of a stream is to the device.
enum class StreamPriority {
  normal,  ///< like that of most streams
  high     ///< before work of other streams that has not begun, if the device can tell
};

/// Whether an event keeps the time of its last recording.
enum class EventTiming {
  off,  ///< no, which makes it cheaper
  on    ///< yes, for Device::seconds_between()
};

/// Refers to an event without owning it. Cheap to copy.
class LEAT_EXPORT EventRef {
 public:
  /// Refers to an event of `device`, by its handle.
  EventRef(Device& device, void* handle) noexcept : device_(&device), handle_(handle) {}
  EventRef(Device& device, std::nullptr_t) = delete;
  Device& device() const noexcept { return *device_; }  ///< the device whose event it is
  void* handle() const noexcept { return handle_; }     ///< the device's own name for the event

  /// Compares devices and handles.
  friend bool operator==(const EventRef&, const EventRef&) = default;

 private:
  template <class Ref>
  friend class Owned;
  explicit EventRef(Device& device) noexcept : device_(&device), handle_(nullptr) {}  // refers to no event

  Device* device_;
  void* handle_;
};

/// Owns the stream or the event that a Ref refers to. Assigning destroys what was held before; an owner that was moved
/// from holds nothing.
template <class Ref>
class Owned {
 public:
  /// Takes over a stream or an event; for devices.
  Owned(Device& device, void* handle) noexcept : ref_(device, handle) {}
  Owned(Device& device, std::nullptr_t) = delete;
  /// Takes over what `other` holds.
  Owned(Owned&& other) noexcept : ref_(other.take()) {}
  /// Destroys what is held, and takes over what `other` holds.
  Owned& operator=(Owned&& other) noexcept {
    if (this == &other) return *this;
    release();
    ref_ = other.take();
    return *this;
  }
  ~Owned() { release(); }
  /// Refers to what is held; its handle is null if that is nothing.
  Ref ref() const noexcept { return ref_; }
  /// Converts to a reference, so that an owner can be passed wherever one is taken.
  operator Ref() const noexcept { return ref_; }  // NOLINT: implicit on purpose

 private:
  Ref take() noexcept { return std::exchange(ref_, Ref(ref_.device())); }
  void release() noexcept;
  Ref ref_;
};

/// Owns a stream. Its destructor waits until the stream is empty.
using Stream = Owned<StreamRef>;

/// Owns an event, a mark in a stream that the host and other streams can wait for. An event that was never recorded has
/// passed.
using Event = Owned<EventRef>;

/// One of several copies that Device::copy_all() enqueues together.
struct LEAT_EXPORT MemoryCopy {
  void* to = nullptr;          ///< where the bytes go
  const void* from = nullptr;  ///< where they come from
  std::size_t bytes = 0;       ///< how many; 0 copies nothing
};

/// Kinds of memory that a device hands out.
enum class MemoryKind {
  device,      ///< memory of the device
  pinned_host  ///< page-locked memory of the host
};

/// Owns memory: aligned to 256 bytes or more, not initialized. No stream may still use the memory when it is freed.
template <MemoryKind kind>
class OwnedMemory {
 public:
  /// Holds no memory.
  OwnedMemory() = default;
  /// Takes over `size` bytes at `data`; for devices.
  OwnedMemory(Device& device, std::byte* data, std::size_t size) noexcept
      : device_(&device), data_(data), size_(size) {}
  /// Takes over the memory of `other`, which then holds none.
  OwnedMemory(OwnedMemory&& other) noexcept
      : device_(other.device_),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  /// Frees the memory held, and takes over that of `other`.
  OwnedMemory& operator=(OwnedMemory&& other) noexcept {
    if (this == &other) return *this;
    release();
    device_ = other.device_;
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~OwnedMemory() { release(); }
  std::byte* data() const noexcept { return data_; }   ///< the address; null if no memory is held
  std::size_t size() const noexcept { return size_; }  ///< in bytes

 private:
  void release() noexcept;

  Device* device_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Owns memory of a device, which the host can neither read nor write unless the device is the host.
using DeviceBuffer = OwnedMemory<MemoryKind::device>;

/// Owns page-locked memory of the host. Copies from and to it run asynchronously, at the bus's full speed.
using PinnedBuffer = OwnedMemory<MemoryKind::pinned_host>;

/// Owns a page-lock on host memory. Copies from and to page-locked memory run asynchronously, at the bus's full speed.
class LEAT_EXPORT PinnedRegion {
 public:
  /// Holds no lock.
  PinnedRegion() = default;
  /// Takes over the lock on `memory`; for devices.
  PinnedRegion(Device& device, std::span<std::byte> memory) noexcept : device_(&device), memory_(memory) {}
  /// Takes over the lock of `other`, which then holds none.
  PinnedRegion(PinnedRegion&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)), memory_(other.memory_) {}
  /// Releases the lock held, and takes over that of `other`.
  PinnedRegion& operator=(PinnedRegion&& other) noexcept {
    if (this == &other) return *this;
    release();
    device_ = std::exchange(other.device_, nullptr);
    memory_ = other.memory_;
    return *this;
  }
  ~PinnedRegion() { release(); }
  /// Tells whether a lock is held.
  explicit operator bool() const noexcept { return device_ != nullptr; }

 private:
  void release() noexcept;

  Device* device_ = nullptr;
  std::span<std::byte> memory_;
};

/// A processor with memory, streams and events of its own. host_device() and cuda_device() return one, which lives as
/// long as the process. All members are thread-safe.
///
/// A member that takes a stream enqueues its work and returns. If the work fails, synchronize() throws the failure:
/// for that stream, for an event recorded after the failure, and for a stream that waited for such an event. A stream
/// that has failed stays failed, and throws the same exception each time. Its events still pass, so nothing hangs.
///
/// Throws DeviceError for what the device finds wrong, and for a stream or an event that is null or another device's.
/// (A stream may wait for an event of any device.)
class LEAT_EXPORT Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Returns the kind of the device.
  virtual DeviceKind kind() const noexcept = 0;
  /// Returns a name for messages: "cpu", "cuda:0 (NVIDIA H200)".
  virtual std::string name() const = 0;
  /// Returns the number of the device among those of its kind: CUDA's for a GPU, 0 for the host.
  virtual int ordinal() const noexcept { return 0; }
  /// Returns the NUMA node of the host that the device is attached to, by the operating system's number; nullopt if the
  /// system does not tell, or if the device belongs to no node. Always returns the same.
  virtual std::optional<int> numa_node() const noexcept { return std::nullopt; }

  /// Returns the handle that a null handle of a stream stands for; null if the device has no default stream.
  virtual void* default_stream() const noexcept { return nullptr; }

  /// Allocates device memory. Throws DeviceError if there is not enough.
  virtual DeviceBuffer allocate(std::size_t bytes) = 0;
  /// Makes a stream, which runs beside the host and the other streams.
  virtual Stream make_stream(StreamPriority priority = StreamPriority::normal) = 0;
  /// Makes an event, which has passed until it is recorded.
  virtual Event make_event(EventTiming timing = EventTiming::off) = 0;

  /// Tells whether copies between the host and the device run beside the host only from and to page-locked memory.
  virtual bool needs_pinned_memory() const noexcept { return true; }
  /// Allocates page-locked memory of the host. Throws DeviceError if there is not enough.
  virtual PinnedBuffer allocate_pinned(std::size_t bytes) = 0;
  /// Page-locks host memory, which is page-aligned and mapped shared. On the host device there is nothing to lock.
  virtual PinnedRegion pin(std::span<std::byte> memory) = 0;

  /// Enqueues a copy on a stream of this device. Until the stream has passed this point, the source must not change,
  /// and both must stay allocated.
  ///
  /// A GPU's stream copies between host memory and the memory of any GPUs, in every direction, its own GPU's or not.
  /// The first copy from or to another GPU gives the stream's GPU access to that memory, if the hardware allows it and
  /// cuda_device() was called for both. If not, CUDA takes such copies through host memory. A stream of the CPU copies
  /// host memory only: for memory of a GPU, copy() throws DeviceError, which says that a stream of the GPU is needed.
  virtual void copy(void* to, const void* from, std::size_t bytes, StreamRef stream) = 0;
  /// Enqueues several copies, each on the terms of copy(), which costs less than one call for each. The stream passes
  /// them as one piece of its work, but they may run in any order and at once: memory that one of them writes must not
  /// overlap memory that another one reads or writes. Those of 0 bytes are left out. If the call throws, some of the
  /// copies may be enqueued. Unless a device overrides it, this calls copy() for each.
  virtual void copy_all(std::span<const MemoryCopy> copies, StreamRef stream);
  /// Enqueues setting `bytes` bytes of host or device memory to zero.
  virtual void fill_zero(void* memory, std::size_t bytes, StreamRef stream) = 0;

  /// Sets the event's mark after what is enqueued on the stream now.
  virtual void record(EventRef event, StreamRef stream) = 0;
  /// Makes the stream wait until the event has passed. The event is of any device, and what counts is its last
  /// recording before this call: it may be recorded again or destroyed right afterwards. What failed before the event
  /// on its stream becomes a failure of this stream. The caller is not blocked, nor is any thread but this stream's:
  ///
  /// | stream of | event of | what waits |
  /// |---|---|---|
  /// | CPU | CPU | the stream's thread |
  /// | CPU | GPU | the stream's thread, which sleeps in the CUDA runtime |
  /// | GPU | GPU | the GPUs |
  /// | GPU | CPU | the GPU, for a word in host memory that the CPU's stream sets |
  ///
  /// A wait names a recording that was made before it, so streams cannot wait for each other in a cycle.
  ///
  /// Throws DeviceError if a stream that is being captured would have to wait for an event of the CPU, or a stream of
  /// the CPU for an event that was recorded in a capture. Throws DeviceError, too, if a GPU's driver lacks the
  /// operation that waits for a word (cuStreamWaitValue32): a host function that waits instead would hold up the host
  /// work of all streams, including work that the event may depend on.
  virtual void wait(StreamRef stream, EventRef event) = 0;

  /// For streams of other devices that wait for this device's events: returns a function that blocks its caller until
  /// the event, as it was last recorded before this call, has passed, and then throws what failed before it. The event
  /// may be destroyed meanwhile. A device whose events only its own streams can wait for throws DeviceError.
  virtual std::function<void()> make_waiter(EventRef event);
  /// For streams of other devices that wait for this device's events: calls `then` once, when the event, as it was last
  /// recorded before this call, has passed, with what failed before it, or null. The caller is a thread of the device,
  /// or this thread if the event has passed already. `then` must neither throw nor block. If it is destroyed without a
  /// call, the event will never pass. A device whose events only its own streams can wait for throws DeviceError.
  virtual void call_when_passed(EventRef event, std::function<void(std::exception_ptr)> then);

  /// Returns a stream on which any thread can record an event behind what is enqueued on `stream` by then, though
  /// `stream` may mean another one there: CUDA's default stream per thread does.
  virtual StreamRef for_other_threads(StreamRef stream) { return stream; }
  /// Tells whether what is enqueued on the stream is captured into a CUDA graph instead of being run.
  virtual bool is_capturing(StreamRef stream) {
    (void)stream;
    return false;
  }
  /// Tells whether the calling thread carries out the work of one of the device's streams, so that waiting for a stream
  /// may be waiting for itself.
  virtual bool runs_this_thread() const noexcept { return false; }
  /// Tells whether the stream on which the event was last recorded has reached the mark.
  virtual bool passed(EventRef event) = 0;
  /// Returns the time from when `from` passed to when `to` passed, negative if that was before; the streams may be
  /// different. Both events keep times, are of this device, were recorded, and have passed: otherwise DeviceError.
  virtual double seconds_between(EventRef from, EventRef to) = 0;
  /// Blocks the calling thread until the event has passed. Throws what failed before it on its stream.
  virtual void synchronize(EventRef event) = 0;
  /// Blocks the calling thread until the stream is empty. Throws what failed on the stream.
  virtual void synchronize(StreamRef stream) = 0;

  /// Enqueues `work`, which runs on the host, in the stream's order. It must not call this device, nor wait for work of
  /// another stream: a device may run the host work of all streams on one thread, as CUDA does. An exception that it
  /// throws is the stream's failure: host work enqueued behind it is skipped, and on the host device so is all other
  /// work. After it has run, `work` is destroyed on another thread, on a GPU some time later than that.
  virtual void enqueue(StreamRef stream, std::function<void()> work) = 0;

  /// Enqueues the normalization of u8 pixels, shape [n, h, w, c], to floating point, as Normalization defines it.
  /// `flipped_rows` is device memory, one byte per image: an image whose byte is not 0 is mirrored left to right. Null:
  /// no image is. Throws ArgumentError if `how` cannot be applied to pixels of this shape.
  virtual void normalize(void* to, const std::uint8_t* from, const PixelShape& shape,
                         const Normalization& how, StreamRef stream,
                         const std::uint8_t* flipped_rows = nullptr) = 0;

  /// Enqueues an operation on a batch. Throws ArgumentError if its check() does.
  virtual void apply(const BatchOperation& operation, StreamRef stream) = 0;

  /// Names what the calling thread does until the matching end_range(), for the device's profiler (NVTX ranges on
  /// CUDA). The ranges of a thread nest. ProfilerRange calls both.
  virtual void begin_range(const char* name) noexcept { (void)name; }
  /// Ends the range that the calling thread began last.
  virtual void end_range() noexcept {}

 protected:
  Device() = default;

 private:
  template <class Ref>
  friend class Owned;
  template <MemoryKind kind>
  friend class OwnedMemory;
  friend class PinnedRegion;
  virtual void destroy(StreamRef stream) noexcept = 0;  // never a null stream
  virtual void destroy(EventRef event) noexcept = 0;
  virtual void deallocate(MemoryKind kind, std::byte* memory, std::size_t bytes) noexcept = 0;
  virtual void unpin(std::span<std::byte> memory) noexcept = 0;
};

inline StreamRef::StreamRef(Device& device, void* handle) noexcept
    : device_(&device), handle_(handle != nullptr ? handle : device.default_stream()) {}

template <MemoryKind kind>
void OwnedMemory<kind>::release() noexcept {
  if (data_ != nullptr) device_->deallocate(kind, data_, size_);
}

template <class Ref>
void Owned<Ref>::release() noexcept {
  if (ref_.handle() != nullptr) ref_.device().destroy(ref_);
}

/// Names what the calling thread does while the object lives, for the device's profiler.
class LEAT_EXPORT ProfilerRange {
 public:
  /// Begins the range.
  ProfilerRange(Device& device, const char* name) noexcept : device_(device) { device.begin_range(name); }
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
  ~ProfilerRange() { device_.end_range(); }

 private:
  Device& device_;
};

/// Returns the CPU as a device: its streams are threads, its memory is host memory.
LEAT_EXPORT Device& host_device();

/// Returns the GPU with CUDA's number `ordinal`. Throws DeviceError if there is no such GPU, or if leat was built
/// without CUDA.
LEAT_EXPORT Device& cuda_device(int ordinal = 0);

/// Returns the number of GPUs that cuda_device() can return: 0 without CUDA or a driver.
LEAT_EXPORT int cuda_device_count() noexcept;

/// Explains why cuda_device_count() is 0 ("built without CUDA"); returns an empty string if it is not 0.
LEAT_EXPORT std::string cuda_unavailable_reason();

}  // namespace leat
