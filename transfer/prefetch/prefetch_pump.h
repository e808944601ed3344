// The thread of a prefetcher, which pulls batches and sends them to the devices.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "leat/loader/host_batch.h"
#include "leat/loader/os/cpu_restriction.h"
#include "leat/transfer/batch_source.h"
#include "leat/transfer/device.h"
#include "leat/transfer/prefetch/batch_pool.h"
#include "leat/transfer/prefetch/batch_sender.h"
#include "leat/transfer/prefetch/pinned_memory.h"

namespace leat::detail {

// Threads: all members belong to the pump's own thread, except the bodies of the constructor and the destructor. The
// thread waits for the source, for the consumer (in the pool), for copies and, before it writes mapped fields, for the
// consumer's stream, but for only one of them at a time.
// Invariants, for each batch:
//  1. It is delivered after its copies to all devices, and its transforms are enqueued (BatchSender).
//  2. The slot's lease is dropped after the copies that read it are done, not before; at once if there are none.
//  3. While the source is asked for a batch, the pump holds at most the lease of the newest copy, and none if the
//     source allows no further batch. While the thread waits for the consumer, it holds no lease except that of the
//     batch it will copy next.
//  4. While the thread calls the source's start_epoch() or next(), its CPUs are not restricted: threads and processes
//     that the source starts there inherit them.
//  5. An error of the source, or of a batch that does not fit, is delivered in place of the batch. An error of a device
//     fails the pool and ends the thread.
class PrefetchPump {
 public:
  // `pinned` is the part of the source's memory that is page-locked. It outlives the pump. The thread runs on those of
  // `cpus` that it may use, or on all that it may use if there are none, except while it calls the source.
  PrefetchPump(BatchSource source, const PinnedMemory& pinned, std::shared_ptr<BatchPool> pool,
               std::vector<int> cpus = {});
  PrefetchPump(const PrefetchPump&) = delete;
  PrefetchPump& operator=(const PrefetchPump&) = delete;
  // Waits until a running call of the source returns, and until the copies under way are done.
  ~PrefetchPump();

  // Return the number of batches that were copied from their own memory alone, and of the others. Thread-safe.
  std::uint64_t direct() const noexcept { return direct_.load(std::memory_order_relaxed); }
  std::uint64_t bounced() const noexcept { return bounced_.load(std::memory_order_relaxed); }

 private:
  struct PulledBatch {
    HostBatch batch;
    std::vector<DevicePart> parts;  // of each device
  };
  struct Lease {
    HostBatch batch;
    std::size_t buffer;
  };

  void run() noexcept;
  bool step();  // false at the end
  void start_epoch(const PrefetchSchedule::Command& command);
  std::optional<HostBatch> next_of_source();
  void pull(std::uint64_t generation);
  void place(PulledBatch batch, std::uint64_t generation);
  std::vector<DevicePart> divide(const HostBatch& batch) const;
  void fill(std::size_t buffer, PulledBatch batch);
  void drop_leases(std::size_t keep);
  void drop_all_leases() noexcept;
  Device& first_device() const noexcept;  // for the profiler

  const BatchSource source_;
  const std::size_t leases_while_pulling_;
  const std::shared_ptr<BatchPool> pool_;  // shared with the batches, which may outlive the pump
  std::deque<BatchSender> senders_;        // one for each device; used only by the pump's thread
  CpuRestriction restriction_;             // of the pump's thread

  std::atomic<std::uint64_t> direct_ = 0;
  std::atomic<std::uint64_t> bounced_ = 0;

  std::deque<Lease> leases_;  // oldest first; used only by the pump's thread

  std::thread thread_;  // constant after construction; last, so that it starts when all members exist
};

}  // namespace leat::detail
