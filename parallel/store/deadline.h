// A point in time at which waiting ends.
#pragma once

#include <algorithm>
#include <chrono>

namespace leat::detail {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Deadline(std::chrono::milliseconds from_now) : end_(Clock::now() + from_now) {}

  Clock::time_point time() const noexcept { return end_; }
  bool passed() const noexcept { return Clock::now() >= end_; }

  // Returns the time left, rounded up and never negative.
  std::chrono::milliseconds left() const noexcept {
    return std::max(std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now()),
                    std::chrono::milliseconds(0));
  }

  // Returns the time left as a timeout for poll(2), at most a minute. If it is longer, poll again.
  int poll_timeout() const noexcept { return static_cast<int>(std::min<long long>(left().count(), 60'000)); }

 private:
  Clock::time_point end_;
};

}  // namespace leat::detail
