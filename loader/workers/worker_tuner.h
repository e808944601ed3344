// WorkerTuner: finds the best number of workers while they run. A plain class: no threads, no clock.
#pragma once

namespace leat::detail {

// A hill-climbing search. Uses more workers while the consumer waits, as long as more workers help. Uses fewer
// workers if they idle, as long as that does not make the consumer wait. A step that did not help is taken back, and
// the next step is tried only after kPatience intervals.
class WorkerTuner {
 public:
  struct Interval {
    double seconds = 0;
    double waited = 0;   // seconds that the consumer waited for data
    double samples = 0;  // samples delivered
    double busy = 0;     // seconds that the workers loaded, summed over all workers
  };

  WorkerTuner(int first, int most) : workers_(first), most_(most) {}

  int workers() const noexcept { return workers_; }
  int next(const Interval& last);  // returns the number of workers for the next interval

 private:
  static constexpr int kPatience = 16;  // intervals between a step that failed and the next one

  bool helped(const Interval& last) const;
  int step(const Interval& last) const;

  int workers_;
  const int most_;
  int trial_ = 0;  // the step that is being tried; 0 if none
  int patience_ = 0;
  Interval before_;  // the interval before the trial
};

}  // namespace leat::detail
