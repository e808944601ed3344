// The device buffers of a prefetcher, and the place where its pump and its consumer meet.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

#include "leat/datasets/base/process_identity.h"
#include "leat/loader/loader_state.h"
#include "leat/transfer/device.h"
#include "leat/transfer/prefetch/device_layout.h"
#include "leat/transfer/prefetch/prefetch_schedule.h"

namespace leat::detail {

// Threads: one pump thread, one consumer thread at a time, and any thread for release().
// Invariants:
//  1. schedule_ is touched under mutex_ only; whoever changes it notifies changed_.
//  2. A Buffer's contents belong to the pump while it is being filled, to the consumer while it is leased,
//     and to nobody else; the schedule's transitions, made under mutex_, hand them over.
//  3. Nobody waits on the device while holding mutex_.
class BatchPool {
 public:
  struct Buffer {
    DeviceBuffer memory;
    Event copied;    // the host slot is no longer read
    Event ready;     // the outputs are there too: the consumer's stream may go on
    Event released;  // the consumer's stream is done with it: the copy stream may write
    std::size_t rows = 0;
    std::uint64_t epoch = 0;
    std::uint64_t number = 0;
    std::vector<std::uint64_t> indices;
    LoaderState state = {};  // of the loader, after this batch
  };

  // Throws ArgumentError for no buffers, DeviceError where they do not fit.
  BatchPool(Device& device, DeviceLayout layout, std::size_t buffers);
  BatchPool(const BatchPool&) = delete;
  BatchPool& operator=(const BatchPool&) = delete;
  // Waits for what was enqueued on the buffers, on the copy stream and on the streams of consumers.
  ~BatchPool();

  Device& device() const noexcept { return device_; }
  const DeviceLayout& layout() const noexcept { return layout_; }
  Buffer& operator[](std::size_t buffer) noexcept { return buffers_[buffer]; }

  // --- The pump; see PrefetchSchedule.
  PrefetchSchedule::Command next_command();
  PrefetchSchedule::Command wait_for_command();
  PrefetchSchedule::Fill begin_fill(std::uint64_t generation);
  PrefetchSchedule::Fill wait_to_fill(std::uint64_t generation);
  void finish_fill(std::size_t buffer);
  void deliver_end(std::uint64_t generation);
  void deliver_error(std::uint64_t generation, std::exception_ptr error, bool epoch_goes_on);
  void fail(std::exception_ptr failure) noexcept;

  // --- The consumer.

  // Blocks for the next delivery. Throws SlotsHeldError where all buffers are leased, so that none can come.
  PrefetchSchedule::Delivery take();
  void start_epoch(std::uint64_t epoch);
  void close() noexcept;

  // The batch in `buffer` is done with when `consumer` has done what it has queued by now. A device that
  // cannot even note that fails the pool. In a forked process: does nothing.
  void release(std::size_t buffer, StreamRef consumer) noexcept;

 private:
  template <class Change>
  auto change(Change&& make);

  const ProcessIdentity owner_;
  Device& device_;
  const DeviceLayout layout_;
  std::vector<Buffer> buffers_;  // as many as at first; for their contents see invariant 2

  std::mutex mutex_;
  std::condition_variable changed_;
  PrefetchSchedule schedule_;  // guarded by mutex_
};

}  // namespace leat::detail
