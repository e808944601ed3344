#include "leat/loader/engine/loader_core.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <utility>

#include "leat/loader/os/child_process.h"
#include "leat/loader/os/cpus.h"

namespace leat::detail {

namespace {

constexpr std::chrono::seconds kTimeoutWorthStacks{1};  // with less, asking for stacks takes too long

}  // namespace

LoaderCore::LoaderCore(const Dataset& dataset, DataLoaderOptions options)
    : dataset_(dataset),
      options_(std::move(options)),
      resolved_(resolve(options_)),
      source_(dataset_, options_, resolved_),
      trace_(open_trace()),
      scheduler_(std::make_shared<BatchScheduler>(BatchLayout(dataset.schema(), resolved_.batch_size),
                                                  resolved_.scheduling, trace_)),
      job_{.table = scheduler_->table(), .dataset = dataset_, .options = resolved_.workers},
      meter_(*scheduler_, resolved_.workers.num_workers),
      tuner_((resolved_.workers.num_workers + 1) / 2, resolved_.workers.num_workers) {
  if (resolved_.workers.num_workers == 0) return;
  warn_of_too_many_workers();
  if (resolved_.tune) scheduler_->table().set_active(static_cast<std::size_t>(tuner_.workers()));
  if (options_.worker_kind == WorkerKind::processes) look_for_threads();
  start_workers();
}

// If the workers cannot be replaced, the loader is broken: it must not load on the caller's thread instead.
void LoaderCore::renew_workers() {
  try {
    start_workers();
  } catch (...) {
    broken_ = std::current_exception();
    throw;
  }
}

void LoaderCore::start_workers() {
  const bool processes = options_.worker_kind == WorkerKind::processes;
  pool_ = (processes ? start_worker_processes : start_worker_threads)(job_);
}

// Afterwards nobody holds the chunks that the workers had claimed. The epoch that begins next abandons their batches.
void LoaderCore::end_workers() {
  pool_.reset();
  scheduler_->table().restart();
  if (resolved_.tune) scheduler_->table().set_active(static_cast<std::size_t>(tuner_.workers()));
}

void LoaderCore::look_for_threads() const {
  const std::size_t others = threads_of_process() - 1;
  if (others == 0) return;
  const std::string text = fmt::format(
      "worker processes are forked while {} other thread{} run{}; should one hold a lock that the dataset "
      "needs, its workers hang. Make loaders before threads, thread pools and CUDA, or use "
      "WorkerKind::threads",
      others, others == 1 ? "" : "s", others == 1 ? "s" : "");
  if (options_.strict_fork) throw ArgumentError(text + " (DataLoaderOptions::strict_fork)");
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true)) warn(options_.on_warning, text);
}

LoaderCore::~LoaderCore() {
  scheduler_->close();
  pool_.reset();
}

std::shared_ptr<Trace> LoaderCore::open_trace() const {
  std::shared_ptr<Trace> trace = Trace::from_environment();
  if (!trace) return nullptr;
  for (int worker = 0; worker < resolved_.workers.num_workers; ++worker) {
    trace->name_track(Trace::kFirstWorker + worker, fmt::format("worker {}", worker));
  }
  for (std::size_t slot = 0; slot < resolved_.scheduling.depth + resolved_.scheduling.max_held_batches;
       ++slot) {
    trace->name_track(Trace::kFirstSlot + static_cast<int>(slot), fmt::format("slot {}", slot));
  }
  return trace;
}

void LoaderCore::warn_of_too_many_workers() const {
  const double cpus = usable_cpus();
  if (resolved_.workers.num_workers <= std::ceil(cpus)) return;
  warn(options_.on_warning,
       fmt::format(
           "{} workers on {:.3g} usable CPUs (affinity mask, control group): more workers than CPUs are "
           "seldom faster, unless samples wait for disks or networks",
           resolved_.workers.num_workers, cpus));
}

LoaderState LoaderCore::state() const {
  if (!in_epoch_) return source_.state(next_epoch_, {}, {});
  return source_.state(epoch_, scheduler_->earlier(), scheduler_->deliveries());
}

// Throws in a forked process, except for a loader without workers: fork copies everything that such a loader has, so
// it works there, too.
void LoaderCore::require_own_process() const {
  if (resolved_.workers.num_workers == 0 || owner_.is_current()) return;
  throw ForkedProcessError(
      "this loader was made in another process, from which this one was forked: its workers serve that "
      "process only; make a loader in this process, or use num_workers = 0");
}

void LoaderCore::begin(EpochStart start) {
  require_own_process();
  throw_if_broken();
  epoch_ = start.epoch;
  next_epoch_ = start.epoch + 1;
  const bool renew = pool_ && !options_.persistent_workers && any_epoch_;
  if (renew) end_workers();
  meter_.begin_epoch();  // before the workers get to work
  scheduler_->begin_epoch(std::move(start));
  if (renew) renew_workers();
  any_epoch_ = true;
  in_epoch_ = true;
}

std::optional<HostBatch> LoaderCore::next() {
  require_own_process();
  if (broken_) std::rethrow_exception(broken_);
  if (!in_epoch_) start_epoch(next_epoch_);
  const PollDeadline deadline = deadline_of_call();
  stall_.reset();
  meter_.looked();
  if (resolved_.tune) tune();
  for (;;) {
    if (auto batch = take()) {
      if (options_.collate_fn) options_.collate_fn(*batch);
      return batch;
    }
    if (scheduler_->epoch_finished()) {
      throw_if_broken();
      in_epoch_ = false;
      tell_warnings_of_dataset();
      return std::nullopt;
    }
    if (scheduler_->starved()) throw_slots_held();
    const std::uint64_t began = steady_ns();
    make_progress(deadline);
    const std::uint64_t ended = steady_ns();
    meter_.waited(ended - began);
    if (trace_) trace_->span(Trace::kConsumer, pool_ ? "waits" : "loads", began, ended);
  }
}

void LoaderCore::tell_warnings_of_dataset() {
  if (told_warnings_) return;
  const std::string text = dataset_.warnings();
  if (text.empty()) return;
  told_warnings_ = true;
  warn(options_.on_warning, text);
}

PollDeadline LoaderCore::deadline_of_call() const {
  if (options_.timeout.count() == 0) return std::nullopt;
  return deadline_after(std::chrono::steady_clock::now(), options_.timeout);
}

void LoaderCore::tune() {
  WorkerTuner::Interval interval;
  if (meter_.interval(interval)) {
    scheduler_->table().set_active(static_cast<std::size_t>(tuner_.next(interval)));
  }
}

std::optional<HostBatch> LoaderCore::take() {
  try {
    return scheduler_->take();
  } catch (const TooManyBadSamplesError&) {
    broken_ = std::current_exception();
    throw;
  }
}

void LoaderCore::throw_if_broken() {
  if (broken_) std::rethrow_exception(broken_);
  if (!pool_) return;
  try {
    pool_->throw_if_failed();
  } catch (...) {
    broken_ = std::current_exception();
    throw;
  }
}

void LoaderCore::make_progress(PollDeadline deadline) {
  if (!pool_) {
    load_one_chunk(job_);
    return;
  }
  scheduler_->table().await();
  if (scheduler_->ready()) return;
  if (wait(deadline)) return;
  const double seconds = std::chrono::duration<double>(options_.timeout).count();
  const bool stacks = options_.timeout >= kTimeoutWorthStacks;
  throw TimeoutError(
      fmt::format("no batch within the timeout of {:.3g} s:{}", seconds, pool_->describe_workers(stacks)));
}

// Returns true after a signal or after a warning that next() still waits, and false when `deadline` has passed.
bool LoaderCore::wait(PollDeadline deadline) {
  try {
    if (!stall_) stall_.emplace(std::chrono::steady_clock::now(), options_.stall_warning);
    const PollDeadline warning = stall_->next_warning();
    const bool warns_first = warning && (!deadline || *warning < *deadline);
    if (pool_->wait(warns_first ? warning : deadline)) return true;
    if (!warns_first) return false;
  } catch (...) {
    broken_ = std::current_exception();
    throw;
  }
  const std::string workers = pool_->describe_workers(true);
  warn(options_.on_warning, fmt::format("next() has waited for a batch for {:.3g} s:{}",
                                        stall_->warned(std::chrono::steady_clock::now()), workers));
  return true;
}

void LoaderCore::throw_slots_held() const {
  throw SlotsHeldError(
      fmt::format("all {} batch slots are held by batches that were not released; release some, or raise "
                  "DataLoaderOptions::max_held_batches (now {})",
                  scheduler_->leased(), options_.max_held_batches));
}

}  // namespace leat::detail
