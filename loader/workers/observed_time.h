// How long something has taken, for somebody who may have slept meanwhile. A plain class: no clock.
#pragma once

#include <algorithm>
#include <cstdint>

namespace leat::detail {

/// Measures by looks how long a worker has been at one thing, and counts no more than `longest_gap` between two looks.
/// Whoever looks is stopped together with the worker when the user presses Ctrl-Z, a debugger stops the program, or a
/// virtual machine is suspended: the time until the next look is not the worker's then.
///
/// Times are nanoseconds of one monotonic clock, and do not decrease from call to call.
class ObservedTime {
 public:
  explicit ObservedTime(std::uint64_t longest_gap) : longest_gap_(longest_gap) {}

  /// `began`: when the thing in hand began; 0 if there is none. Returns how long it has taken.
  std::uint64_t look(std::uint64_t began, std::uint64_t now) {
    if (began != began_) observed_ = 0;
    const std::uint64_t since = std::max(began == began_ ? looked_ : began, excused_until_);
    if (began != 0 && now > since) observed_ += std::min(now - since, longest_gap_);
    began_ = began;
    looked_ = now;
    return observed_;
  }

  /// The time since the last look does not count, nor any before `now` of a thing that was not looked at yet.
  void excuse(std::uint64_t now) { excused_until_ = now; }

 private:
  std::uint64_t longest_gap_;
  std::uint64_t began_ = 0;
  std::uint64_t looked_ = 0;
  std::uint64_t excused_until_ = 0;
  std::uint64_t observed_ = 0;
};

}  // namespace leat::detail
