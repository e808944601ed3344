#include "loader/data_loader.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "loader/batch_scheduler.h"
#include "loader/epoch_source.h"
#include "loader/loader_options.h"
#include "loader/worker.h"
#include "loader/worker_pool.h"

namespace leat {

class DataLoader::Core {
 public:
  Core(const Dataset& dataset, DataLoaderOptions options)
      : dataset_(dataset),
        options_(std::move(options)),
        resolved_(resolve(options_)),
        source_(dataset_, options_, resolved_),
        scheduler_(std::make_shared<BatchScheduler>(BatchLayout(dataset.schema(), resolved_.batch_size),
                                                    scheduler_options())),
        job_{scheduler_->table(), dataset_, resolved_.seed, options_.worker_init_fn,
             resolved_.sample_timeout.count() > 0} {
    if (resolved_.num_workers == 0) return;
    const bool processes = resolved_.worker_kind == WorkerKind::processes;
    pool_ = (processes ? start_worker_processes : start_worker_threads)(
        job_, {resolved_.num_workers, resolved_.sample_timeout, options_.on_warning});
  }

  ~Core() {
    scheduler_->close();
    pool_.reset();
  }

  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  std::size_t batches() const { return source_.batches(in_epoch_ ? epoch_ : next_epoch_); }

  void start_epoch(std::uint64_t epoch) { begin(source_.from_beginning(epoch)); }

  void restore(const LoaderState& state) { begin(source_.from(state)); }

  LoaderState state() const {
    return in_epoch_ ? source_.state(epoch_, scheduler_->deliveries()) : source_.state(next_epoch_, {});
  }

  std::optional<HostBatch> next() {
    if (broken_) std::rethrow_exception(broken_);
    if (!in_epoch_) start_epoch(next_epoch_);
    const Deadline deadline = deadline_of_call();
    for (;;) {
      if (auto batch = take()) return batch;
      if (scheduler_->epoch_finished()) {
        in_epoch_ = false;
        return std::nullopt;
      }
      if (scheduler_->starved()) throw_slots_held();
      make_progress(deadline);
    }
  }

  const SlotTable& table() const { return scheduler_->table(); }
  std::shared_ptr<const void> keeper() const { return scheduler_; }
  const DataLoaderOptions& options() const { return options_; }
  std::vector<int> worker_pids() const { return pool_ ? pool_->pids() : std::vector<int>(); }

  const BatchScheduler& scheduler() const { return *scheduler_; }

 private:
  SchedulerOptions scheduler_options() const {
    return {
        .depth = resolved_.depth,
        .leases = resolved_.leases,
        .workers = static_cast<std::size_t>(resolved_.num_workers),
        .in_order = options_.in_order,
        .on_bad_sample = options_.on_bad_sample,
        .bad_sample_limit = options_.bad_sample_limit,
        .describe = [&dataset = dataset_](std::uint64_t index) { return describe_sample(dataset, index); }};
  }

  void begin(EpochStart start) {
    if (broken_) std::rethrow_exception(broken_);
    epoch_ = start.epoch;
    next_epoch_ = start.epoch + 1;
    scheduler_->begin_epoch(std::move(start));
    in_epoch_ = true;
  }

  Deadline deadline_of_call() const {
    if (resolved_.timeout.count() == 0) return std::nullopt;
    return std::chrono::steady_clock::now() + resolved_.timeout;
  }

  std::optional<HostBatch> take() {
    try {
      return scheduler_->take();
    } catch (const TooManyBadSamplesError&) {
      broken_ = std::current_exception();
      throw;
    }
  }

  void make_progress(Deadline deadline) {
    if (!pool_) {
      load_one_run(job_);
      return;
    }
    scheduler_->table().await();
    if (scheduler_->ready()) return;
    if (!wait(deadline)) {
      throw TimeoutError(fmt::format("no batch within the timeout of {} s; the workers still load it",
                                     std::chrono::duration<double>(resolved_.timeout).count()));
    }
  }

  bool wait(Deadline deadline) {
    try {
      return pool_->wait(deadline);
    } catch (...) {
      broken_ = std::current_exception();
      throw;
    }
  }

  [[noreturn]] void throw_slots_held() const {
    throw SlotsHeldError(
        fmt::format("all {} batch slots are held by batches that were not released; release some, or raise "
                    "DataLoaderOptions::leases (now {})",
                    scheduler_->leased(), resolved_.leases));
  }

  // Constant after construction.
  const Dataset& dataset_;
  const DataLoaderOptions options_;
  const ResolvedLoaderOptions resolved_;
  const EpochSource source_;
  const std::shared_ptr<BatchScheduler> scheduler_;  // shared with the batches that are out
  const WorkerJob job_;

  // Of the thread that uses the loader.
  std::unique_ptr<WorkerPool> pool_;
  std::uint64_t epoch_ = 0;  // the present one, where in_epoch_
  std::uint64_t next_epoch_ = 0;
  bool in_epoch_ = false;
  std::exception_ptr broken_;
};

DataLoader::DataLoader(const Dataset& dataset, DataLoaderOptions options)
    : core_(std::make_unique<Core>(dataset, std::move(options))) {}
DataLoader::DataLoader(DataLoader&&) noexcept = default;
DataLoader& DataLoader::operator=(DataLoader&&) noexcept = default;
DataLoader::~DataLoader() = default;

std::size_t DataLoader::size() const {
  return core_->batches();
}
std::optional<HostBatch> DataLoader::next() {
  return core_->next();
}
void DataLoader::start_epoch(std::uint64_t epoch) {
  core_->start_epoch(epoch);
}

LoaderState DataLoader::state() const {
  return core_->state();
}
void DataLoader::restore(const LoaderState& state) {
  core_->restore(state);
}

BatchRange<HostBatch> DataLoader::epoch(std::uint64_t epoch) {
  start_epoch(epoch);
  return BatchRange<HostBatch>([this] { return next(); });
}

SlotMemory DataLoader::slots() const {
  return {core_->table().slot_memory(), layout().bytes(), core_->table().slots()};
}
std::shared_ptr<const void> DataLoader::slot_keeper() const {
  return core_->keeper();
}
const BatchLayout& DataLoader::layout() const {
  return core_->table().layout();
}
const DataLoaderOptions& DataLoader::options() const {
  return core_->options();
}
std::size_t DataLoader::bad_sample_count() const {
  return core_->scheduler().bad_sample_count();
}
std::vector<BadSample> DataLoader::bad_samples() const {
  return core_->scheduler().bad_samples();
}
std::vector<int> DataLoader::worker_pids() const {
  return core_->worker_pids();
}

}  // namespace leat
