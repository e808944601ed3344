#include "leat/loader/workers/worker_tuner.h"

#include <algorithm>

namespace leat::detail {

namespace {

constexpr double kWaits = 0.05, kHardlyWaits = 0.01;  // shares of the time
constexpr double kWorthIt = 1.05;  // least relative gain in samples/s that justifies more workers
constexpr double kLoss = 0.98;     // least relative samples/s that fewer workers must keep
constexpr double kFull = 0.8;      // busy share that each of the workers left may reach

double rate(const WorkerTuner::Interval& interval) {
  return interval.samples / interval.seconds;
}
double wait_share(const WorkerTuner::Interval& interval) {
  return interval.waited / interval.seconds;
}

}  // namespace

int WorkerTuner::next(const Interval& last) {
  if (last.seconds <= 0) return workers_;
  if (trial_ != 0) {
    if (!helped(last)) {
      workers_ -= trial_;
      patience_ = kPatience;
    }
    trial_ = 0;
    return workers_;
  }
  if (patience_ > 0) {
    --patience_;
    return workers_;
  }
  trial_ = step(last);
  workers_ += trial_;
  before_ = last;
  return workers_;
}

bool WorkerTuner::helped(const Interval& last) const {
  if (trial_ > 0) return rate(last) >= kWorthIt * rate(before_) || wait_share(last) < kHardlyWaits;
  return rate(last) >= kLoss * rate(before_) && wait_share(last) < kWaits;
}

int WorkerTuner::step(const Interval& last) const {
  if (wait_share(last) > kWaits) return std::min(std::max(1, workers_ / 2), most_ - workers_);
  const double busy_workers = last.busy / last.seconds;
  if (wait_share(last) < kHardlyWaits && workers_ > 1 && busy_workers < kFull * (workers_ - 1)) return -1;
  return 0;
}

}  // namespace leat::detail
