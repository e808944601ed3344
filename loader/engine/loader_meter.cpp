#include "leat/loader/engine/loader_meter.h"

#include <algorithm>
#include <numeric>

#include "leat/loader/engine/diagnosis.h"
#include "leat/loader/os/cpus.h"

namespace leat::detail {

namespace {

constexpr std::uint64_t kLooksPerNote = 16;
constexpr std::uint64_t kInterval = 250'000'000;  // ns
constexpr double kSecond = 1e9;

}  // namespace

LoaderMeter::Mark LoaderMeter::mark() const {
  Mark now{steady_ns(), waited_ns_, scheduler_.counts().samples, {}, {}};
  for (int worker = 0; worker < workers_; ++worker) {
    const WorkerRecord& record = scheduler_.table().worker_record(static_cast<std::size_t>(worker));
    now.busy_ns.push_back(record.busy_ns.load(std::memory_order_relaxed));
    now.loaded.push_back(record.samples.load(std::memory_order_relaxed));
  }
  return now;
}

void LoaderMeter::begin_epoch() {
  looks_ = in_flight_ = ready_ = 0;
  epoch_ = mark();
  epoch_.samples = 0;  // the scheduler counts by epochs, too
  interval_ = epoch_;
}

void LoaderMeter::looked() {
  if (looks_++ % kLooksPerNote != 0) return;
  const SchedulerCounts counts = scheduler_.counts();
  in_flight_ += counts.in_flight;
  ready_ += counts.ready;
}

LoaderStats LoaderMeter::stats() const {
  const SchedulerCounts counts = scheduler_.counts();
  LoaderStats stats;
  stats.seconds = static_cast<double>(std::max<std::uint64_t>(steady_ns() - epoch_.ns, 1)) / kSecond;
  stats.batches = counts.batches;
  stats.samples = counts.samples;
  stats.samples_per_second = static_cast<double>(counts.samples) / stats.seconds;
  stats.wait_seconds = static_cast<double>(waited_ns_ - epoch_.waited_ns) / kSecond;
  stats.wait_share = stats.wait_seconds / stats.seconds;
  stats.slots = counts.slots;
  stats.slots_leased = counts.slots_leased;
  stats.ready_share = in_flight_ == 0 ? 0 : static_cast<double>(ready_) / static_cast<double>(in_flight_);
  stats.active_workers = std::min(workers_, static_cast<int>(scheduler_.table().active()));
  stats.workers = worker_stats(stats.seconds);
  for (const WorkerStats& worker : stats.workers) {
    stats.busy_share += worker.busy_share / std::max(1, stats.active_workers);
    stats.restarts += worker.restarts;
  }
  stats.bad_samples = scheduler_.bad_sample_count();
  diagnose(stats, usable_cpus());
  return stats;
}

std::vector<WorkerStats> LoaderMeter::worker_stats(double seconds) const {
  const Mark now = mark();
  std::vector<WorkerStats> workers;
  for (std::size_t i = 0; i < now.busy_ns.size(); ++i) {
    const std::uint32_t starts = scheduler_.table().worker_record(i).starts.load();
    workers.push_back({static_cast<double>(now.busy_ns[i] - epoch_.busy_ns[i]) / kSecond / seconds,
                       now.loaded[i] - epoch_.loaded[i], starts == 0 ? 0 : starts - 1});
  }
  return workers;
}

bool LoaderMeter::interval(WorkerTuner::Interval& interval) {
  if (steady_ns() - interval_.ns < kInterval) return false;
  const Mark now = mark();
  const auto sum = [](const std::vector<std::uint64_t>& values) {
    return static_cast<double>(std::accumulate(values.begin(), values.end(), std::uint64_t{0}));
  };
  interval = {.seconds = static_cast<double>(now.ns - interval_.ns) / kSecond,
              .waited = static_cast<double>(now.waited_ns - interval_.waited_ns) / kSecond,
              .samples = static_cast<double>(now.samples - interval_.samples),
              .busy = (sum(now.busy_ns) - sum(interval_.busy_ns)) / kSecond};
  interval_ = now;
  return true;
}

}  // namespace leat::detail
