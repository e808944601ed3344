// LoaderMeter: measures a loader while it is used, for LoaderStats and for the choice of the number of workers.
#pragma once

#include <cstdint>
#include <vector>

#include "leat/loader/engine/batch_scheduler.h"
#include "leat/loader/loader_stats.h"
#include "leat/loader/workers/worker_tuner.h"

namespace leat::detail {

// Used only by the thread that uses the loader. Times are those of steady_ns().
class LoaderMeter {
 public:
  // The counters at the beginning of an epoch or of an interval.
  struct Mark {
    std::uint64_t ns = 0;
    std::uint64_t waited_ns = 0;
    std::uint64_t samples = 0;                   // delivered
    std::vector<std::uint64_t> busy_ns, loaded;  // by worker
  };

  // Counts from here on until the first epoch begins.
  LoaderMeter(const BatchScheduler& scheduler, int workers) : scheduler_(scheduler), workers_(workers) {
    begin_epoch();
  }

  void begin_epoch();  // before the scheduler does
  void waited(std::uint64_t ns) noexcept { waited_ns_ += ns; }
  void looked();  // call it in each next(); at every 16th call, notes how many batches in flight are ready

  LoaderStats stats() const;

  // Fills in what happened since the last call that returned true, or since the epoch began. Returns false if that is
  // less than 250 ms ago.
  bool interval(WorkerTuner::Interval& interval);

 private:
  Mark mark() const;
  std::vector<WorkerStats> worker_stats(double seconds) const;

  const BatchScheduler& scheduler_;
  const int workers_;
  std::uint64_t waited_ns_ = 0;
  std::uint64_t looks_ = 0;
  std::uint64_t in_flight_ = 0, ready_ = 0;  // sums over the calls of looked() that noted them
  Mark epoch_;
  Mark interval_;
};

}  // namespace leat::detail
