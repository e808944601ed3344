// How many workers to use, found while they run. A plain class: no threads, no clock.
#pragma once

namespace leat::detail {

// Climbs: more workers while the consumer waits, as long as that helps; fewer where they idle, as long as that
// does not make it wait. A step that did not help is taken back, and the next one is tried only after a while.
class WorkerTuner {
 public:
  struct Interval {
    double seconds = 0;
    double waited = 0;   // seconds that the consumer waited for data
    double samples = 0;  // delivered
    double busy = 0;     // seconds that the workers loaded, summed over them
  };

  WorkerTuner(int first, int most) : workers_(first), most_(most) {}

  int workers() const noexcept { return workers_; }
  int next(const Interval& last);  // the number for the next interval

 private:
  static constexpr int kPatience = 16;  // intervals between a step that failed and the next one

  bool helped(const Interval& last) const;
  int step(const Interval& last) const;

  int workers_;
  const int most_;
  int trial_ = 0;  // the step that is being tried
  int patience_ = 0;
  Interval before_;  // the trial
};

}  // namespace leat::detail
