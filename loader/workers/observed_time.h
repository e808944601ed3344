// ObservedTime: measures how long a worker has taken, without the time in which the observer itself was stopped. A
// plain class: no clock.
#pragma once

#include <algorithm>
#include <cstdint>

namespace leat::detail {

/// Measures how long a worker has spent on one task. The observer looks at the worker from time to time, and at most
/// `longest_gap` counts between two looks. The limit is needed because the observer and the worker are stopped
/// together when the user presses Ctrl-Z, a debugger stops the program, or a virtual machine is suspended. The worker
/// has not used that time.
///
/// Times are nanoseconds of one monotonic clock, and do not decrease from call to call.
class ObservedTime {
 public:
  explicit ObservedTime(std::uint64_t longest_gap) : longest_gap_(longest_gap) {}

  /// Looks at the worker at time `now`. `began` is when its current task began, or 0 if it has none. Returns how long
  /// the task has taken so far.
  std::uint64_t look(std::uint64_t began, std::uint64_t now) {
    if (began != began_) observed_ = 0;
    const std::uint64_t since = std::max(began == began_ ? looked_ : began, excused_until_);
    if (began != 0 && now > since) observed_ += std::min(now - since, longest_gap_);
    began_ = began;
    looked_ = now;
    return observed_;
  }

  /// Excludes the time before `now` that was not counted yet: the time since the last look and, for a task that no
  /// look has seen yet, all time before `now`.
  void excuse(std::uint64_t now) { excused_until_ = now; }

 private:
  std::uint64_t longest_gap_;
  std::uint64_t began_ = 0;
  std::uint64_t looked_ = 0;
  std::uint64_t excused_until_ = 0;
  std::uint64_t observed_ = 0;
};

}  // namespace leat::detail
