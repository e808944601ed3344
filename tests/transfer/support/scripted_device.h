// A device on which nothing runs until the test says so, and that watches who uses which memory.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "leat/transfer/device.h"

namespace leat::test {

// Memory is host memory. An operation runs whole, in step(), on the thread that calls it.
// A violation is noted, not thrown, since it may happen on any thread:
//  - a copy that reads guarded memory while its predicate says no (a slot that is being refilled);
//  - a copy, fill or normalization that writes to memory between the two operations of a use().
//
// Threads: any; one lock over everything. Waits of the host block until some thread has stepped far enough.
class ScriptedDevice final : public Device {
 public:
  // --- The script.
  bool step(StreamRef stream);  // runs its next operation; false where there is none or it waits for an event
  std::size_t run(StreamRef stream);  // steps until it cannot; how many operations ran
  bool step_any(std::size_t choice);  // one operation of one stream, chosen among those that can go on
  void go_free();                     // from now on operations run as soon as they can
  std::vector<std::string> queued(StreamRef stream) const;                // "copy", "record", ... in order
  std::size_t ran(StreamRef stream, const std::string& operation) const;  // how many such operations ran

  // Blocks until `count` operations have been queued on the stream since it was made, run or not.
  void await_queued(StreamRef stream, std::size_t count) const;
  // Blocks until a thread of the host waits for an event that has not passed.
  void await_host_wait() const;
  // Blocks until there may be something for step_any(), or `stop` says so after a wake().
  void await_work(const std::function<bool()>& stop) const;
  void wake() const;

  std::vector<StreamRef> streams();  // in the order in which they were made, destroyed ones left out

  // --- Watching.
  void guard(std::span<const std::byte> memory, std::function<bool()> may_be_read);
  void use(StreamRef stream, const void* memory, std::size_t bytes);  // queues "use" and "used"
  std::vector<std::string> violations() const;
  std::vector<std::string> ended_ranges() const;  // for the profiler, of all threads
  std::size_t open_ranges() const;

  std::string refuse_pin;                                  // not empty: pin() throws it. Set before use
  std::optional<int> node;                                 // numa_node(). Set before use
  std::function<void(std::span<const std::byte>)> on_pin;  // runs at the start of pin(). Set before use
  std::function<void()> on_copy;                           // runs at the start of copy(). Set before use
  std::size_t pinned_bytes() const;
  std::size_t copies_of_unlocked() const;  // that read memory which pin() did not page-lock

  DeviceKind kind() const noexcept override { return DeviceKind::host; }
  std::string name() const override { return "scripted"; }
  std::optional<int> numa_node() const noexcept override { return node; }
  DeviceBuffer allocate(std::size_t bytes) override;
  Stream make_stream(StreamPriority priority = StreamPriority::normal) override;
  Event make_event(EventTiming timing = EventTiming::off) override;
  PinnedBuffer allocate_pinned(std::size_t bytes) override;
  PinnedRegion pin(std::span<std::byte> memory) override;
  void copy(void* to, const void* from, std::size_t bytes, StreamRef stream) override;
  void fill_zero(void* memory, std::size_t bytes, StreamRef stream) override;
  void record(EventRef event, StreamRef stream) override;
  void wait(StreamRef stream, EventRef event) override;
  bool passed(EventRef event) override;
  double seconds_between(EventRef from, EventRef to) override;
  void synchronize(EventRef event) override;
  void synchronize(StreamRef stream) override;
  void enqueue(StreamRef stream, std::function<void()> work) override;
  void normalize(void* to, const std::uint8_t* from, const PixelShape& shape, const Normalization& how,
                 StreamRef stream, const std::uint8_t* flipped_rows) override;
  void apply(const BatchOperation& operation, StreamRef stream) override;
  void begin_range(const char* name) noexcept override;
  void end_range() noexcept override;

 private:
  struct Mark {
    bool fired = false;
  };
  struct Operation {
    std::string name;
    std::function<void()> run;
    std::shared_ptr<Mark> awaits;  // shared by the streams that wait and the one that fires
  };
  struct ScriptedStream {
    std::deque<Operation> operations;
    std::vector<std::string> done;
    std::size_t queued = 0;
  };
  struct ScriptedEvent {
    bool is_timed = false;
    std::shared_ptr<Mark> last{};
  };
  struct Guarded {
    std::span<const std::byte> memory;
    std::function<bool()> may_be_read;
  };

  static ScriptedStream& of(StreamRef stream);
  static ScriptedEvent& of(EventRef event);
  void push(StreamRef stream, Operation operation);
  bool can_step(const ScriptedStream& stream) const;
  void step_locked(ScriptedStream& stream);
  void run_free_locked();
  void check_read(const void* memory, std::size_t bytes);
  void check_write(const void* memory, std::size_t bytes);
  void destroy(StreamRef stream) noexcept override;
  void destroy(EventRef event) noexcept override;
  void deallocate(MemoryKind kind, std::byte* memory, std::size_t bytes) noexcept override;
  void unpin(std::span<std::byte> memory) noexcept override;

  mutable std::mutex mutex_;  // guards all of the following
  mutable std::condition_variable changed_;
  std::vector<ScriptedStream*> streams_;
  std::vector<std::shared_ptr<Mark>> host_waits_;  // for these marks
  std::vector<Guarded> guarded_;
  std::vector<std::span<const std::byte>> in_use_;
  std::vector<std::string> violations_;
  std::map<std::thread::id, std::vector<std::string>> open_ranges_;  // innermost last
  std::vector<std::string> ended_ranges_;
  std::vector<std::span<const std::byte>> pinned_;
  std::size_t copies_of_unlocked_ = 0;
  bool free_ = false;
};

}  // namespace leat::test
