#include "leat/transfer/host/host_device.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_set>
#include <utility>

#include "leat/datasets/per_process.h"
#include "leat/transfer/host/gpu_memory.h"
#include "leat/transfer/host/host_batch_operations.h"
#include "leat/transfer/host/host_event.h"
#include "leat/transfer/host/host_normalize.h"
#include "leat/transfer/host/host_stream.h"

namespace leat::detail {
namespace {

constexpr std::align_val_t kAlignment{256};

// The existing streams of this process. With it, using a stream that was already destroyed, or that belongs to the
// parent process, is an error instead of an endless wait for a thread that does not exist. (A new stream may get the
// address of a destroyed one. Then the two cannot be told apart.)
class LiveStreams {
 public:
  static LiveStreams& all() {
    static const auto* const streams = new PerProcess<LiveStreams>([] { return LiveStreams(); });
    return streams->get();  // never destroyed: streams may be destroyed at exit
  }
  void add(const void* stream) {
    const std::lock_guard lock(mutex_);
    streams_.insert(stream);
  }
  // Returns false if the stream is not in the set.
  bool remove(const void* stream) noexcept {
    const std::lock_guard lock(mutex_);
    return streams_.erase(stream) > 0;
  }
  bool contain(const void* stream) {
    const std::lock_guard lock(mutex_);
    return streams_.contains(stream);
  }

 private:
  std::mutex mutex_;
  std::unordered_set<const void*> streams_;  // guarded by mutex_
};

std::byte* allocate_memory(std::size_t bytes) {
  void* memory = ::operator new(bytes, kAlignment, std::nothrow);
  if (memory == nullptr)
    throw DeviceError(fmt::format("cpu: there is no memory for a buffer of {} bytes", bytes));
  return static_cast<std::byte*>(memory);
}

void require_host_memory(const void* memory, std::size_t bytes) {
  const std::string gpu = bytes == 0 ? std::string() : gpu_of(memory);
  if (!gpu.empty())
    throw DeviceError(fmt::format("cpu: memory of {} can only be used on a stream of that GPU", gpu));
}

}  // namespace

DeviceBuffer HostDevice::allocate(std::size_t bytes) {
  return DeviceBuffer(*this, allocate_memory(bytes), bytes);
}

Stream HostDevice::make_stream(StreamPriority) {
  auto stream = std::make_unique<HostStream>();
  LiveStreams::all().add(stream.get());
  return Stream(*this, stream.release());
}

// All events keep times.
Event HostDevice::make_event(EventTiming) {
  return Event(*this, new HostEvent);
}

PinnedBuffer HostDevice::allocate_pinned(std::size_t bytes) {
  return PinnedBuffer(*this, allocate_memory(bytes), bytes);
}

PinnedRegion HostDevice::pin(std::span<std::byte> memory) {
  return PinnedRegion(*this, memory);
}

void HostDevice::copy(void* to, const void* from, std::size_t bytes, StreamRef stream) {
  HostStream& target = checked(stream);
  require_host_memory(to, bytes);
  require_host_memory(from, bytes);
  target.run([=] {
    if (bytes != 0) std::memcpy(to, from, bytes);
  });
}

void HostDevice::fill_zero(void* memory, std::size_t bytes, StreamRef stream) {
  HostStream& target = checked(stream);
  require_host_memory(memory, bytes);
  target.run([=] {
    if (bytes != 0) std::memset(memory, 0, bytes);
  });
}

void HostDevice::record(EventRef event, StreamRef stream) {
  HostEvent& target = checked(event);
  auto mark = std::make_shared<HostMark>();
  checked(stream).fire(mark);  // first: a mark that an event shows is one that will fire
  target.set(std::move(mark));
}

void HostDevice::wait(StreamRef stream, EventRef event) {
  HostStream& waiting = checked(stream);
  if (&event.device() != this) {
    waiting.wait_in(event.device().make_waiter(event));
  } else if (auto mark = checked(event).last()) {
    waiting.wait_for(std::move(mark));
  }
}

std::function<void()> HostDevice::make_waiter(EventRef event) {
  return [mark = checked(event).last()] {
    if (mark == nullptr) return;
    if (const std::exception_ptr failure = mark->wait()) std::rethrow_exception(failure);
  };
}

void HostDevice::call_when_passed(EventRef event, std::function<void(std::exception_ptr)> then) {
  if (const auto mark = checked(event).last()) {
    mark->notify(std::move(then));
  } else {
    then(nullptr);
  }
}

bool HostDevice::runs_this_thread() const noexcept {
  return HostStream::runs_this_thread();
}

bool HostDevice::passed(EventRef event) {
  const auto mark = checked(event).last();
  return mark == nullptr || mark->fired();
}

double HostDevice::seconds_between(EventRef from, EventRef to) {
  const auto first = checked(from).last(), second = checked(to).last();
  if (first == nullptr || second == nullptr || !first->fired() || !second->fired())
    throw DeviceError("cpu: the time between events was asked for before both were recorded and had passed");
  return std::chrono::duration<double>(second->time() - first->time()).count();
}

void HostDevice::synchronize(EventRef event) {
  make_waiter(event)();
}

void HostDevice::synchronize(StreamRef stream) {
  checked(stream).synchronize();
}

void HostDevice::enqueue(StreamRef stream, std::function<void()> work) {
  checked(stream).run(std::move(work));
}

void HostDevice::normalize(void* to, const std::uint8_t* from, const PixelShape& shape,
                           const Normalization& how, StreamRef stream, const std::uint8_t* flipped_rows) {
  how.check(shape);
  checked(stream).run([=] { normalize_on_host(to, from, flipped_rows, shape, how); });
}

void HostDevice::apply(const BatchOperation& operation, StreamRef stream) {
  check(operation);
  checked(stream).run([operation] { apply_on_host(operation); });
}

HostStream& HostDevice::checked(StreamRef stream) const {
  if (&stream.device() != this) throw DeviceError("cpu: got a stream of " + stream.device().name());
  if (stream.handle() == nullptr) throw DeviceError("cpu: got a null stream; make one with make_stream()");
  if (!LiveStreams::all().contain(stream.handle())) {
    throw DeviceError(
        "cpu: got a stream that was destroyed, or that was made in another process, from which this one was "
        "forked; a stream must outlive the batches that were made for it");
  }
  return *static_cast<HostStream*>(stream.handle());
}

HostEvent& HostDevice::checked(EventRef event) const {
  if (&event.device() != this) throw DeviceError("cpu: got an event of " + event.device().name());
  if (event.handle() == nullptr) throw DeviceError("cpu: got a null event; make one with make_event()");
  HostEvent& found = *static_cast<HostEvent*>(event.handle());
  if (!found.is_of_this_process())
    throw DeviceError("cpu: got an event that was made in another process, from which this one was forked");
  return found;
}

void HostDevice::destroy(StreamRef stream) noexcept {
  // A stream of the parent process is not in the set, because its thread runs only there.
  if (LiveStreams::all().remove(stream.handle())) delete static_cast<HostStream*>(stream.handle());
}

void HostDevice::destroy(EventRef event) noexcept {
  delete static_cast<HostEvent*>(event.handle());
}

void HostDevice::deallocate(MemoryKind, std::byte* memory, std::size_t) noexcept {
  ::operator delete(memory, kAlignment);
}

void HostDevice::unpin(std::span<std::byte>) noexcept {}

}  // namespace leat::detail

namespace leat {

Device& host_device() {
  static detail::HostDevice* const device =
      new detail::HostDevice;  // never destroyed: other static objects may own streams
  return *device;
}

}  // namespace leat
