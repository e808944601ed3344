// The parent's side of loading: plans batches, gives them slots, publishes them, and delivers them in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "loader/epoch_plan.h"
#include "loader/host_batch.h"
#include "loader/sampler.h"
#include "loader/slot_ledger.h"
#include "loader/slot_table.h"

namespace leat {

// Thread-safe. It is the owner that batches return their slots to, and then publishes the next batch at once,
// so the workers go on while the consumer computes.
//
// Invariants:
//  1. in_flight_ holds the published, undelivered batches of the present epoch, oldest first, numbered
//  without gaps up
//     to next_batch_.
//  2. At most `depth` batches are in flight.
//  3. A slot is published only when the ledger says free, which it does only after every run of it has
//  finished.
class BatchScheduler final : public SlotOwner, public std::enable_shared_from_this<BatchScheduler> {
 public:
  // `depth` batches in flight, slots for `leases` more. Throws MemoryError, SystemError.
  BatchScheduler(const BatchLayout& layout, std::size_t depth, std::size_t leases, std::size_t workers);

  SlotTable& table() noexcept { return table_; }
  const SlotTable& table() const noexcept { return table_; }

  // Abandons what is in flight and publishes the first batches of `epoch`. `dataset_size` bounds the indices.
  void begin_epoch(std::uint64_t epoch, std::shared_ptr<const Sampler> sampler, EpochPlan plan,
                   std::size_t dataset_size);

  // The oldest batch if it is ready; nullopt if it is not. Throws SampleError for a batch with a failed
  // sample, and what the sampler threw. A batch whose error was thrown is done with.
  std::optional<HostBatch> take();
  bool ready() const;           // take() has something to say
  bool epoch_finished() const;  // every batch was delivered or its error thrown
  bool starved() const;         // nothing is in flight and nothing can be: all slots are leased
  std::size_t leased() const;

  void close() noexcept;  // publishes nothing more

  void release(std::size_t slot) noexcept override;

 private:
  struct InFlight {
    std::size_t slot;
    BatchTicket ticket;
  };

  std::optional<InFlight> take_oldest();
  void publish_more();
  void publish_next();
  void sweep_draining();
  bool oldest_finished() const;

  // Constant after construction.
  SlotTable table_;
  const std::size_t depth_;
  const std::size_t workers_;

  mutable std::mutex mutex_;  // guards all below, and the parent's side of table_
  SlotLedger ledger_;
  std::deque<InFlight> in_flight_;
  std::shared_ptr<const Sampler> sampler_;  // shared with the user
  EpochPlan plan_;
  std::size_t dataset_size_ = 0;
  std::uint64_t epoch_ = 0;
  std::size_t next_batch_ = 0;  // of the epoch, to be published
  std::uint64_t generation_ = 0;
  std::vector<std::uint64_t> indices_;  // of the batch being published
  std::exception_ptr planning_error_;   // of the sampler, thrown when the batches before it are delivered
  bool closed_ = false;
};

}  // namespace leat
