// When to say that somebody waits. A plain class: no clock of its own.
#pragma once

#include <chrono>

#include "leat/loader/os/poll_deadline.h"

namespace leat::detail {

/// A wait is worth a warning after a while, another one after twice that, then four times, and so on.
class StallClock {
 public:
  using Point = std::chrono::steady_clock::time_point;

  /// `first`: after so long the first one comes; 0 for no warning.
  StallClock(Point began, std::chrono::nanoseconds first) : began_(began), last_(began), pause_(first) {}

  PollDeadline next_warning() const {
    return pause_.count() == 0 ? std::nullopt : deadline_after(last_, pause_);
  }

  /// A warning is given. Returns for how many seconds the wait has taken.
  double warned(Point now) {
    last_ = now;
    pause_ = pause_ > std::chrono::nanoseconds::max() / 2 ? std::chrono::nanoseconds(0) : 2 * pause_;
    return std::chrono::duration<double>(now - began_).count();
  }

 private:
  Point began_;
  Point last_;  // warning, or the beginning
  std::chrono::nanoseconds pause_;
};

}  // namespace leat::detail
