// The buffers of a prefetcher, on all of its devices, shared by its pump and its consumer.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "leat/datasets/base/process_identity.h"
#include "leat/loader/loader_state.h"
#include "leat/transfer/device.h"
#include "leat/transfer/prefetch/batch_division.h"
#include "leat/transfer/prefetch/prefetch_schedule.h"
#include "leat/transfer/prefetch/transfer_meter.h"

namespace leat::detail {

// Threads: one pump thread, one consumer thread at a time, and any thread for release().
// Invariants:
//  1. schedule_ is accessed only under mutex_; every change of it is followed by a notification of changed_.
//  2. A buffer's contents belong to the pump while it is being filled, and to the consumer while it is leased;
//     otherwise nobody may access them. The schedule's transitions, made under mutex_, hand them over.
//  3. No thread waits for the device while holding mutex_.
class BatchPool {
 public:
  // The memory of one device, with that device's part of a batch.
  struct Part {
    DeviceBuffer memory;
    PinnedBuffer mapped;  // of the fields that the device reads in host memory; empty if there are none
    Event copied;         // the host slot is no longer read
    Event ready;          // the results of transforms are ready too: the consumer's stream may go on
    Event released;       // the consumer's stream no longer uses it: the copy stream, or the pump, may write
    DevicePart extent = {};
    TransferMeter::Number copy = {};  // its measurement

    BufferMemory buffer() const noexcept { return {memory.data(), mapped.data()}; }
  };
  struct Buffer {
    std::vector<Part> parts;  // of each device
    std::uint64_t epoch = 0;
    std::uint64_t number = 0;
    std::vector<std::uint64_t> indices = {};
    LoaderState state = {};  // state of the loader after this batch
  };

  // Makes a pool. If the last share of it is dropped by work on a stream of the CPU, a thread of its own destroys it,
  // since that stream may be one of those to wait for. In a forked process nothing destroys it.
  //
  // Throws ArgumentError if `buffers` is 0, DeviceError if the buffers do not fit into a device's memory.
  static std::shared_ptr<BatchPool> make(BatchDivision division, std::size_t buffers);
  BatchPool(const BatchPool&) = delete;
  BatchPool& operator=(const BatchPool&) = delete;
  // Waits for all work that uses the buffers, on the copy streams and on the consumers' streams.
  ~BatchPool();

  const BatchDivision& division() const noexcept { return division_; }
  Buffer& operator[](std::size_t buffer) noexcept { return buffers_[buffer]; }
  // Returns the parts that hold anything of the buffer's batch.
  std::vector<std::size_t> held_parts(std::size_t buffer) const;
  TransferMeter& meter(std::size_t device) noexcept { return meters_[device]; }

  // --- Called by the pump; see PrefetchSchedule.
  PrefetchSchedule::Command next_command();
  PrefetchSchedule::Command wait_for_command();
  PrefetchSchedule::Fill begin_fill(std::uint64_t generation);
  PrefetchSchedule::Fill wait_to_fill(std::uint64_t generation);
  void finish_fill(std::size_t buffer);
  void deliver_end(std::uint64_t generation);
  void deliver_error(std::uint64_t generation, std::exception_ptr error, bool epoch_goes_on);
  void fail(std::exception_ptr failure) noexcept;

  // --- Called by the consumer.

  // Blocks until the next delivery. Throws SlotsHeldError if all buffers are leased, so that no delivery can come. The
  // caller owes a release() for each part of a batch that holds anything.
  PrefetchSchedule::Delivery take();
  void start_epoch(std::uint64_t epoch);
  void close() noexcept;
  // Throws DeviceError if the stream is being captured: batches could then not be ordered with its work, and the
  // prefetcher's stream would be drawn into the capture.
  static void require_no_capture(StreamRef consumer);

  // Gives back a part of `buffer`, once `consumer` has finished the work that is enqueued on it now; the last part ends
  // the lease. If the device cannot record that point, the pool fails. Does nothing in a forked process.
  void release(std::size_t buffer, std::size_t part, StreamRef consumer) noexcept;

 private:
  BatchPool(BatchDivision division, std::size_t buffers);
  static void destroy(BatchPool* pool) noexcept;
  template <class Change>
  auto change(Change&& make);

  const ProcessIdentity owner_;
  const BatchDivision division_;
  std::vector<Buffer> buffers_;  // never resized; for the contents see invariant 2

  std::deque<TransferMeter> meters_;  // of each device; never resized

  std::mutex mutex_;
  std::condition_variable changed_;
  PrefetchSchedule schedule_;      // guarded by mutex_
  std::vector<std::size_t> owed_;  // parts of each leased buffer that are not given back; guarded by mutex_
};

}  // namespace leat::detail
