// When a wait ends, and what poll(2) takes for it.
#pragma once

#include <chrono>
#include <optional>

namespace leat::detail {

/// The end of a wait; nullopt: it never ends.
using PollDeadline = std::optional<std::chrono::steady_clock::time_point>;

/// `wait` after `start`; nullopt if that is beyond what the clock can say.
PollDeadline deadline_after(std::chrono::steady_clock::time_point start, std::chrono::nanoseconds wait);

/// Milliseconds until the deadline, rounded up, never below 0; -1 for nullopt. At most twelve days: then poll again.
int poll_timeout(PollDeadline deadline);

}  // namespace leat::detail
