// StallClock: decides when to warn about a long wait. A plain class: no clock of its own.
#pragma once

#include <chrono>

#include "leat/loader/os/poll_deadline.h"

namespace leat::detail {

/// Schedules the warnings about one wait: the first after a given time, each later one after a pause twice as long as
/// the pause before.
class StallClock {
 public:
  using Point = std::chrono::steady_clock::time_point;

  /// `first` is the time from `began` to the first warning. 0 means no warnings.
  StallClock(Point began, std::chrono::nanoseconds first) : began_(began), last_(began), pause_(first) {}

  PollDeadline next_warning() const {
    return pause_.count() == 0 ? std::nullopt : deadline_after(last_, pause_);
  }

  /// Notes that a warning is given now. Returns how many seconds the wait has taken so far.
  double warned(Point now) {
    last_ = now;
    pause_ = pause_ > std::chrono::nanoseconds::max() / 2 ? std::chrono::nanoseconds(0) : 2 * pause_;
    return std::chrono::duration<double>(now - began_).count();
  }

 private:
  Point began_;
  Point last_;  // time of the last warning, or the beginning of the wait
  std::chrono::nanoseconds pause_;
};

}  // namespace leat::detail
