// The parent's side of loading: plans batches, gives them slots, publishes them, and delivers them in order.
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

// Since the epoch began, but for the slots.
struct SchedulerCounts {
  std::uint64_t batches = 0;  // delivered
  std::uint64_t samples = 0;
  std::size_t slots = 0;  // open ones
  std::size_t slots_leased = 0;
  std::size_t in_flight = 0;
  std::size_t ready = 0;  // of those, finished
};

// Thread-safe. It is the owner that batches return their slots to, and then publishes the next batch at once,
// so the workers go on while the consumer computes.
//
// Invariants:
//  1. in_flight_ holds the published, undelivered batches of the present epoch, oldest first. They and those in
//     deliveries_ are all batches that the planner has gone by.
//  2. At most `depth` batches are in flight; more, in free and in spare slots, only where the oldest of them is not
//     finished and there would otherwise be fewer unfinished ones behind it than there are other workers.
//  3. A slot is published only when the ledger says free, which it does only after every chunk of it has
//     finished.
//  4. The consumer never holds more batches than there are common slots.
class BatchScheduler final : public SlotOwner, public std::enable_shared_from_this<BatchScheduler> {
 public:
  // `trace` may be null. Throws MemoryError, SystemError.
  BatchScheduler(const BatchLayout& layout, const SchedulerOptions& options,
                 std::shared_ptr<Trace> trace = nullptr);

  SlotTable& table() noexcept { return table_; }
  const SlotTable& table() const noexcept { return table_; }

  // Abandons what is in flight and publishes the first batches.
  void begin_epoch(EpochStart start);

  // The oldest batch if it is ready (out of order: any that is); nullopt if there is none. Throws what the
  // sampler threw, SampleError for a batch with a bad sample where the policy is to raise (the batch is done
  // with then), and TooManyBadSamplesError.
  std::optional<HostBatch> take();
  bool ready();  // take() has something to say; otherwise all that can be published is, and will be signaled
  bool epoch_finished() const;  // every batch was delivered or its error thrown
  bool starved() const;         // the consumer holds as many batches as there are common slots
  std::size_t leased() const;
  // Of the present epoch:
  DeliveryLog deliveries() const;
  LoaderState::Earlier earlier() const;
  std::size_t epoch_batches() const;  // delivered ones included
  SchedulerCounts counts() const;
  std::size_t bad_sample_count() const;
  std::vector<BadSample> bad_samples() const;  // the first BadSampleLog::kKept

  void close() noexcept;  // publishes nothing more

  void release(std::size_t slot) noexcept override;

 private:
  struct InFlight {
    std::size_t slot;
    BatchDescriptor descriptor;
    std::vector<std::uint32_t> bad_rows;
    std::uint64_t published_ns;
    mutable bool seen_finished = false;  // it stays so until a bad row of it is set aside
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
  Flight deliverable();  // in_flight_.end(): none
  bool all_leased() const { return ledger_.leased() >= table_.slots(); }
  bool settle(InFlight& batch);
  void set_aside(InFlight& batch, std::size_t chunk);
  std::optional<InFlight> take_ready();
  InFlight deliver(const Flight& batch);
  std::size_t rows_of(const InFlight& batch) const;  // that are delivered
  void recycle(const Flight& batch);
  bool workers_rest() const;
  [[noreturn]] void raise(const Flight& batch, std::size_t chunk);
  SampleError::Origin origin_of(const FailureRecord& failure) const;

  // Constant after construction.
  SlotTable table_;
  const SchedulerOptions options_;
  const ProcessIdentity owner_;

  // Guards all below, and the parent's side of table_. Held for up to two seconds when a sample is given up that has
  // ended two workers, since its stack is described then.
  mutable std::mutex mutex_;
  SlotLedger ledger_;
  BadSampleLog bad_samples_;
  std::deque<InFlight> in_flight_;
  EpochPlanner planner_;
  SlotTrace trace_;
  DeliveryLog deliveries_;
  std::uint64_t generation_ = 0;
  std::uint64_t batches_delivered_ = 0, samples_delivered_ = 0;
  std::exception_ptr planning_error_;  // of the sampler, thrown when the batches before it are delivered
  bool may_open_ = true;               // spare slots, as far as is known
  bool closed_ = false;
};

}  // namespace leat::detail
