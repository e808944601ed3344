#include "tests/transfer/support/scripted_device.h"

#include <algorithm>
#include <cstring>

#include "leat/transfer/host/host_batch_operations.h"
#include "leat/transfer/host/host_normalize.h"

namespace leat::test {

using namespace leat::detail;

namespace {

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.data() < b.data() + b.size() && b.data() < a.data() + a.size();
}

std::span<const std::byte> bytes_at(const void* memory, std::size_t bytes) {
  return {static_cast<const std::byte*>(memory), bytes};
}

}  // namespace

// --- The script.

bool ScriptedDevice::step(StreamRef stream) {
  const std::lock_guard lock(mutex_);
  ScriptedStream& target = of(stream);
  if (!can_step(target)) return false;
  step_locked(target);
  return true;
}

std::size_t ScriptedDevice::run(StreamRef stream) {
  std::size_t steps = 0;
  while (step(stream)) ++steps;
  return steps;
}

bool ScriptedDevice::step_any(std::size_t choice) {
  const std::lock_guard lock(mutex_);
  std::vector<ScriptedStream*> able;
  for (ScriptedStream* stream : streams_) {
    if (can_step(*stream)) able.push_back(stream);
  }
  if (able.empty()) return false;
  step_locked(*able[choice % able.size()]);
  return true;
}

void ScriptedDevice::go_free() {
  const std::lock_guard lock(mutex_);
  free_ = true;
  run_free_locked();
}

std::vector<std::string> ScriptedDevice::queued(StreamRef stream) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const Operation& operation : of(stream).operations) names.push_back(operation.name);
  return names;
}

std::size_t ScriptedDevice::ran(StreamRef stream, const std::string& operation) const {
  const std::lock_guard lock(mutex_);
  const auto& done = of(stream).done;
  return static_cast<std::size_t>(std::count(done.begin(), done.end(), operation));
}

void ScriptedDevice::await_queued(StreamRef stream, std::size_t count) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return of(stream).queued >= count; });
}

void ScriptedDevice::await_host_wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] {
    return std::ranges::any_of(host_waits_, [](const auto& mark) { return !mark->fired; });
  });
}

void ScriptedDevice::await_work(const std::function<bool()>& stop) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    return stop() || std::any_of(streams_.begin(), streams_.end(), [this](auto* s) { return can_step(*s); });
  });
}

void ScriptedDevice::wake() const {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

std::vector<StreamRef> ScriptedDevice::streams() {
  const std::lock_guard lock(mutex_);
  std::vector<StreamRef> refs;
  for (ScriptedStream* stream : streams_) refs.emplace_back(*this, stream);
  return refs;
}

// --- Watching.

void ScriptedDevice::guard(std::span<const std::byte> memory, std::function<bool()> may_be_read) {
  const std::lock_guard lock(mutex_);
  guarded_.push_back({memory, std::move(may_be_read)});
}

void ScriptedDevice::use(StreamRef stream, const void* memory, std::size_t bytes) {
  const auto used = bytes_at(memory, bytes);
  push(stream, {"use", [this, used] { in_use_.push_back(used); }, nullptr});
  push(stream,
       {"used",
        [this, used] { std::erase_if(in_use_, [&](auto other) { return other.data() == used.data(); }); },
        nullptr});
}

std::vector<std::string> ScriptedDevice::violations() const {
  const std::lock_guard lock(mutex_);
  return violations_;
}

std::vector<std::string> ScriptedDevice::ended_ranges() const {
  const std::lock_guard lock(mutex_);
  return ended_ranges_;
}

std::size_t ScriptedDevice::open_ranges() const {
  const std::lock_guard lock(mutex_);
  std::size_t open = 0;
  for (const auto& [thread, ranges] : open_ranges_) open += ranges.size();
  return open;
}

std::size_t ScriptedDevice::pinned_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const auto region : pinned_) bytes += region.size();
  return bytes;
}

std::size_t ScriptedDevice::copies_of_unlocked() const {
  const std::lock_guard lock(mutex_);
  return copies_of_unlocked_;
}

void ScriptedDevice::check_read(const void* memory, std::size_t bytes) {
  const auto read = bytes_at(memory, bytes);
  const bool locked = std::any_of(pinned_.begin(), pinned_.end(), [&](auto region) {
    return region.data() <= read.data() && read.data() + read.size() <= region.data() + region.size();
  });
  if (!locked) ++copies_of_unlocked_;
  for (const Guarded& guarded : guarded_) {
    if (overlap(guarded.memory, bytes_at(memory, bytes)) && !guarded.may_be_read()) {
      violations_.emplace_back("a slot was read after its lease was dropped");
    }
  }
}

void ScriptedDevice::check_write(const void* memory, std::size_t bytes) {
  for (const auto used : in_use_) {
    if (overlap(used, bytes_at(memory, bytes))) violations_.emplace_back("a buffer in use was written to");
  }
}

// --- The machinery.

ScriptedDevice::ScriptedStream& ScriptedDevice::of(StreamRef stream) {
  return *static_cast<ScriptedStream*>(stream.handle());
}

ScriptedDevice::ScriptedEvent& ScriptedDevice::of(EventRef event) {
  return *static_cast<ScriptedEvent*>(event.handle());
}

void ScriptedDevice::push(StreamRef stream, Operation operation) {
  const std::lock_guard lock(mutex_);
  of(stream).operations.push_back(std::move(operation));
  ++of(stream).queued;
  if (free_) run_free_locked();
  changed_.notify_all();
}

bool ScriptedDevice::can_step(const ScriptedStream& stream) const {
  if (stream.operations.empty()) return false;
  const auto& awaits = stream.operations.front().awaits;
  return awaits == nullptr || awaits->fired;
}

void ScriptedDevice::step_locked(ScriptedStream& stream) {
  Operation operation = std::move(stream.operations.front());
  stream.operations.pop_front();
  if (operation.run) operation.run();
  stream.done.push_back(operation.name);
  changed_.notify_all();
}

void ScriptedDevice::run_free_locked() {
  for (bool again = true; again;) {
    again = false;
    for (ScriptedStream* stream : streams_) {
      while (can_step(*stream)) {
        step_locked(*stream);
        again = true;
      }
    }
  }
}

// --- The device.

DeviceBuffer ScriptedDevice::allocate(std::size_t bytes) {
  auto* const memory = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{256}));
  return DeviceBuffer(*this, memory, bytes);
}

Stream ScriptedDevice::make_stream(StreamPriority) {
  const std::lock_guard lock(mutex_);
  streams_.push_back(new ScriptedStream);
  return Stream(*this, streams_.back());
}

Event ScriptedDevice::make_event(EventTiming timing) {
  return Event(*this, new ScriptedEvent{.is_timed = timing == EventTiming::on});
}

PinnedBuffer ScriptedDevice::allocate_pinned(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto* const memory = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{256}));
  pinned_.push_back({memory, bytes});
  return PinnedBuffer(*this, memory, bytes);
}

PinnedRegion ScriptedDevice::pin(std::span<std::byte> memory) {
  if (on_pin) on_pin(memory);
  if (!refuse_pin.empty()) throw DeviceError(refuse_pin);
  const std::lock_guard lock(mutex_);
  pinned_.push_back(memory);
  return PinnedRegion(*this, memory);
}

void ScriptedDevice::copy(void* to, const void* from, std::size_t bytes, StreamRef stream) {
  if (on_copy) on_copy();
  push(stream, {"copy",
                [=, this] {
                  check_read(from, bytes);
                  check_write(to, bytes);
                  std::memcpy(to, from, bytes);
                },
                nullptr});
}

void ScriptedDevice::fill_zero(void* memory, std::size_t bytes, StreamRef stream) {
  push(stream, {"fill",
                [=, this] {
                  check_write(memory, bytes);
                  std::memset(memory, 0, bytes);
                },
                nullptr});
}

void ScriptedDevice::record(EventRef event, StreamRef stream) {
  auto mark = std::make_shared<Mark>();
  {
    const std::lock_guard lock(mutex_);
    of(event).last = mark;
    if (of(event).is_timed) {  // nothing is ordered by it
      mark->fired = true;
      return;
    }
  }
  push(stream, {"record", [mark] { mark->fired = true; }, nullptr});
}

void ScriptedDevice::wait(StreamRef stream, EventRef event) {
  std::shared_ptr<Mark> mark;
  {
    const std::lock_guard lock(mutex_);
    mark = of(event).last;
  }
  push(stream, {"wait", nullptr, mark});
}

bool ScriptedDevice::passed(EventRef event) {
  const std::lock_guard lock(mutex_);
  return of(event).last == nullptr || of(event).last->fired;
}

double ScriptedDevice::seconds_between(EventRef, EventRef) {
  return 0;
}

void ScriptedDevice::synchronize(EventRef event) {
  std::unique_lock lock(mutex_);
  const auto mark = of(event).last;
  if (mark == nullptr) return;
  host_waits_.push_back(mark);
  changed_.notify_all();
  changed_.wait(lock, [&] { return mark->fired; });
  host_waits_.erase(std::ranges::find(host_waits_, mark));
}

void ScriptedDevice::synchronize(StreamRef stream) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return of(stream).operations.empty(); });
}

void ScriptedDevice::enqueue(StreamRef stream, std::function<void()> work) {
  push(stream, {"work", std::move(work), nullptr});
}

void ScriptedDevice::normalize(void* to, const std::uint8_t* from, const PixelShape& shape,
                               const Normalization& how, StreamRef stream, const std::uint8_t* flipped_rows) {
  push(stream, {"normalize",
                [=, this] {
                  check_write(to, shape.count() * size_of(how.dtype));
                  normalize_on_host(to, from, flipped_rows, shape, how);
                },
                nullptr});
}

void ScriptedDevice::apply(const BatchOperation& operation, StreamRef stream) {
  push(stream, {"apply",
                [operation, this] {
                  for (const auto written : written_by(operation))
                    check_write(written.data(), written.size());
                  apply_on_host(operation);
                },
                nullptr});
}

void ScriptedDevice::begin_range(const char* name) noexcept {
  const std::lock_guard lock(mutex_);
  open_ranges_[std::this_thread::get_id()].emplace_back(name);
}

void ScriptedDevice::end_range() noexcept {
  const std::lock_guard lock(mutex_);
  std::vector<std::string>& open = open_ranges_[std::this_thread::get_id()];
  if (open.empty()) {
    violations_.emplace_back("a range was ended on a thread that had begun none");
    return;
  }
  ended_ranges_.push_back(std::move(open.back()));
  open.pop_back();
}

void ScriptedDevice::destroy(StreamRef stream) noexcept {
  auto* const scripted = static_cast<ScriptedStream*>(stream.handle());
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return scripted->operations.empty(); });
  std::erase(streams_, scripted);
  delete scripted;
}

void ScriptedDevice::destroy(EventRef event) noexcept {
  delete static_cast<ScriptedEvent*>(event.handle());
}

void ScriptedDevice::deallocate(MemoryKind, std::byte* memory, std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(pinned_, [&](auto region) { return region.data() == memory; });
  check_write(memory, bytes);
  ::operator delete (memory, std::align_val_t{256});
}

void ScriptedDevice::unpin(std::span<std::byte> memory) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(pinned_, [&](auto region) { return region.data() == memory.data(); });
}

}  // namespace leat::test
