// The thread of a prefetcher, which pulls batches and sends them to the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <thread>

#include "leat/loader/host_batch.h"
#include "leat/transfer/batch_source.h"
#include "leat/transfer/device.h"
#include "leat/transfer/prefetch/batch_pool.h"
#include "leat/transfer/prefetch/bounce_buffers.h"

namespace leat::detail {

// Threads: all members belong to the pump's own thread, except the bodies of the constructor and the destructor. The
// thread waits for the source, for the consumer (in the pool) and for copies, but for only one of them at a time.
// Invariants, for each batch:
//  1. The copy stream waits for `released` of the buffer, then makes one copy of the whole slot, then records
//     `copied`, then normalizes, then records `ready`. The buffer is delivered after all this is enqueued.
//  2. The slot's lease is dropped after `copied` has passed, not before. A slot that is not page-locked is copied into
//     page-locked memory first; then its lease is dropped at once. So every copy runs beside the host.
//  3. While the source is asked for a batch, the pump holds at most the lease of the newest copy, and none if the
//     source allows no further batch. While the thread waits for the consumer, it holds no lease except that of the
//     batch it will copy next.
//  4. An error of the source is delivered in place of its batch. An error of the device fails the pool and ends the
//     thread.
class PrefetchPump {
 public:
  // `pinned` is the part of the source's memory that is page-locked.
  PrefetchPump(BatchSource source, std::span<const std::byte> pinned, std::shared_ptr<BatchPool> pool);
  PrefetchPump(const PrefetchPump&) = delete;
  PrefetchPump& operator=(const PrefetchPump&) = delete;
  // Waits until a running call of the source returns, and until the copies under way are done.
  ~PrefetchPump();

 private:
  struct Lease {
    HostBatch batch;
    std::size_t buffer;
  };

  void run() noexcept;
  bool step();  // false at the end
  void start_epoch(const PrefetchSchedule::Command& command);
  void pull(std::uint64_t generation);
  void place(HostBatch batch, std::uint64_t generation);
  void fill(std::size_t buffer, HostBatch batch);
  void copy(BatchPool::Buffer& buffer, std::size_t index, HostBatch batch);
  bool is_pinned(std::span<const std::byte> slot) const noexcept;
  void drop_leases(std::size_t keep);
  void drop_all_leases() noexcept;

  const BatchSource source_;
  const std::size_t leases_while_pulling_;
  const std::shared_ptr<BatchPool> pool_;  // shared with the batches, which may outlive the pump
  Device& device_;
  const std::span<const std::byte> pinned_;
  BounceBuffers bounce_buffers_;  // used only by the pump's thread
  const Stream copy_stream_;      // behind the buffers that it uses: its destructor waits for the copies

  std::deque<Lease> leases_;  // oldest first; used only by the pump's thread

  std::thread thread_;  // constant after construction; last, so that it starts when all members exist
};

}  // namespace leat::detail
