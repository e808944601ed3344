// Waiting a moment without sleeping.
#pragma once

#include <chrono>
#include <thread>

namespace leat::detail {

// Lets other threads run, for some microseconds, until `done` returns true. Returns whether it did. For waits that
// often end at once, before those that sleep: to sleep and be woken takes longer.
//
// If other threads keep the CPU for long, this thread would be late: those who sleep come before those who yield. Then
// the next calls of this thread return at once.
template <class Done>
bool wait_briefly(const Done& done) {
  using Clock = std::chrono::steady_clock;
  constexpr int kGlances = 30;
  constexpr auto kLong = std::chrono::microseconds(50);
  constexpr int kCallsToSkip = 200;
  thread_local int to_skip = 0;
  if (done()) return true;
  if (to_skip > 0) {
    --to_skip;
    return false;
  }
  Clock::time_point before = Clock::now();
  for (int glance = 0; glance < kGlances; ++glance) {
    std::this_thread::yield();
    if (done()) return true;
    const Clock::time_point now = Clock::now();
    if (now - before > kLong) {
      to_skip = kCallsToSkip;
      return false;
    }
    before = now;
  }
  return false;
}

}  // namespace leat::detail
