// Implementation of DataLoader.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>

#include "leat/datasets/base/process_identity.h"
#include "leat/loader/data_loader.h"
#include "leat/loader/engine/batch_scheduler.h"
#include "leat/loader/engine/epoch_source.h"
#include "leat/loader/engine/loader_meter.h"
#include "leat/loader/engine/resolved_options.h"
#include "leat/loader/engine/stall_clock.h"
#include "leat/loader/engine/trace.h"
#include "leat/loader/workers/worker.h"
#include "leat/loader/workers/worker_pool.h"

namespace leat::detail {

// The members mean what those of DataLoader mean, and the same thread rules apply.
class LoaderCore {
 public:
  LoaderCore(const Dataset& dataset, DataLoaderOptions options);
  ~LoaderCore();
  LoaderCore(const LoaderCore&) = delete;
  LoaderCore& operator=(const LoaderCore&) = delete;

  std::size_t batches() const {
    return in_epoch_ ? scheduler_->epoch_batches() : source_.batches(next_epoch_);
  }
  std::optional<HostBatch> next();
  void start_epoch(std::uint64_t epoch) { begin(source_.from_beginning(epoch)); }
  void restore(const LoaderState& state) { begin(source_.from(state)); }
  LoaderState state() const;
  LoaderStats stats() const { return meter_.stats(); }

  const BatchScheduler& scheduler() const { return *scheduler_; }
  std::shared_ptr<const void> keeper() const { return scheduler_; }
  const DataLoaderOptions& options() const { return options_; }
  std::vector<int> worker_pids() const { return pool_ ? pool_->pids() : std::vector<int>(); }

 private:
  std::shared_ptr<Trace> open_trace() const;
  void require_own_process() const;
  void warn_of_too_many_workers() const;
  void look_for_threads() const;
  void start_workers();
  void renew_workers();
  void end_workers();
  void tell_warnings_of_dataset();
  PollDeadline deadline_of_call() const;
  void begin(EpochStart start);
  std::optional<HostBatch> take();
  void throw_if_broken();
  void make_progress(PollDeadline deadline);
  bool wait(PollDeadline deadline);
  void tune();
  [[noreturn]] void throw_slots_held() const;

  // Constant after construction.
  const Dataset& dataset_;
  const DataLoaderOptions options_;
  const ResolvedLoaderOptions resolved_;
  const EpochSource source_;
  const std::shared_ptr<Trace> trace_;               // null without a trace; shared with the scheduler
  const std::shared_ptr<BatchScheduler> scheduler_;  // shared with the batches that the consumer holds
  const WorkerJob job_;
  const ProcessIdentity owner_;

  // Used only by the thread that uses the loader.
  LoaderMeter meter_;
  std::optional<StallClock> stall_;  // set in a call of next() once it waits
  WorkerTuner tuner_;
  std::unique_ptr<WorkerPool> pool_;
  std::uint64_t epoch_ = 0;  // the current epoch, if in_epoch_
  std::uint64_t next_epoch_ = 0;
  bool in_epoch_ = false;
  bool any_epoch_ = false;      // whether an epoch was begun
  bool told_warnings_ = false;  // whether the dataset's warnings were passed on
  std::exception_ptr broken_;
};

}  // namespace leat::detail
