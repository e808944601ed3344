// BatchScheduler, the parent's side of loading: plans batches, assigns slots to them, publishes them, and delivers
// them in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/base/process_identity.h"
#include "leat/loader/batch_sampler.h"
#include "leat/loader/engine/bad_sample_log.h"
#include "leat/loader/engine/delivery_log.h"
#include "leat/loader/engine/epoch_planner.h"
#include "leat/loader/engine/scheduler_options.h"
#include "leat/loader/engine/slot_trace.h"
#include "leat/loader/host_batch.h"
#include "leat/loader/slots/slot_ledger.h"
#include "leat/loader/slots/slot_owner.h"
#include "leat/loader/slots/slot_table.h"

namespace leat::detail {

// Counts since the epoch began, and the current numbers of slots and of batches in flight.
struct SchedulerCounts {
  std::uint64_t batches = 0;  // delivered
  std::uint64_t samples = 0;
  std::size_t slots = 0;  // open ones
  std::size_t slots_leased = 0;
  std::size_t in_flight = 0;
  std::size_t ready = 0;  // batches in flight that are finished
};

// Thread-safe. Batches return their slots to the scheduler, which then publishes the next batch at once, so that the
// workers continue while the consumer computes.
//
// Invariants:
//  1. in_flight_ holds the published, undelivered batches of the current epoch, oldest first. These batches and those
//     in deliveries_ are all batches that the planner has advanced past.
//  2. At most `depth` batches are in flight. There may be more, in free slots and in spare slots, only if the oldest
//     batch is not finished and there would otherwise be fewer unfinished batches behind it than there are other
//     workers.
//  3. A slot is published only when the ledger says that it is free. The ledger says so only after every chunk of the
//     slot has finished.
//  4. The consumer never holds more batches than there are common slots.
class BatchScheduler final : public SlotOwner, public std::enable_shared_from_this<BatchScheduler> {
 public:
  // `trace` may be null. Throws MemoryError, SystemError.
  BatchScheduler(const BatchLayout& layout, const SchedulerOptions& options,
                 std::shared_ptr<Trace> trace = nullptr);

  SlotTable& table() noexcept { return table_; }
  const SlotTable& table() const noexcept { return table_; }

  // Abandons the batches in flight and publishes the first batches of the epoch.
  void begin_epoch(EpochStart start);

  // Returns the oldest batch if it is ready (with in_order = false: the oldest batch that is ready), or nullopt.
  // Throws what the sampler threw, SampleError for a batch with a bad sample if the policy is `raise` (that batch is
  // then dropped), and TooManyBadSamplesError.
  std::optional<HostBatch> take();
  bool ready();  // whether take() would return a batch or throw. If not, all batches that can be published
                 // are published, and the end of each will be signaled.
  bool epoch_finished() const;  // every batch was delivered or its error thrown
  bool starved() const;         // the consumer holds as many batches as there are common slots
  std::size_t leased() const;
  // These four describe the current epoch.
  DeliveryLog deliveries() const;
  LoaderState::Earlier earlier() const;
  std::size_t epoch_batches() const;  // delivered ones included
  SchedulerCounts counts() const;
  // Bad samples over the loader's life.
  std::size_t bad_sample_count() const;
  std::vector<BadSample> bad_samples() const;  // the first BadSampleLog::kKept

  void close() noexcept;  // ends publishing

  void release(std::size_t slot) noexcept override;

 private:
  struct InFlight {
    std::size_t slot;
    BatchDescriptor descriptor;
    std::vector<std::uint32_t> bad_rows;
    std::uint64_t published_ns;
    mutable bool seen_finished = false;  // caches finished(); reset when a bad row is set aside
  };
  using Flight = std::deque<InFlight>::iterator;

  void publish_more();
  bool has_room();
  bool may_run_ahead() const;
  bool open_spare_slot();
  bool finished(const InFlight& batch) const;
  void publish_next();
  void sweep_draining();
  bool in_another_process() const noexcept { return options_.workers > 0 && !owner_.is_current(); }
  Flight deliverable();  // the batch to deliver next; in_flight_.end() if there is none
  bool all_leased() const { return ledger_.leased() >= table_.slots(); }
  bool settle(InFlight& batch);
  void set_aside(InFlight& batch, std::size_t chunk);
  std::optional<InFlight> take_ready();
  InFlight deliver(const Flight& batch);
  std::size_t rows_of(const InFlight& batch) const;  // the number of rows that are delivered
  void recycle(const Flight& batch);
  bool workers_rest() const;
  [[noreturn]] void raise(const Flight& batch, std::size_t chunk);
  SampleError::Origin origin_of(const FailureRecord& failure) const;

  // Constant after construction.
  SlotTable table_;
  const SchedulerOptions options_;
  const ProcessIdentity owner_;

  // Guards all members below, and the parent's side of table_. It is held for up to two seconds when the error of a
  // sample that ended two workers is made, since the stack is described then.
  mutable std::mutex mutex_;
  SlotLedger ledger_;
  BadSampleLog bad_samples_;
  std::deque<InFlight> in_flight_;
  EpochPlanner planner_;
  SlotTrace trace_;
  DeliveryLog deliveries_;
  std::uint64_t generation_ = 0;
  std::uint64_t batches_delivered_ = 0, samples_delivered_ = 0;
  std::exception_ptr planning_error_;  // the sampler's, thrown after the batches before it are delivered
  bool may_open_ = true;               // false once a spare slot could not be opened
  bool closed_ = false;
};

}  // namespace leat::detail
