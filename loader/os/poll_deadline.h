// PollDeadline: the time at which a wait ends, and its conversion to a timeout of poll(2).
#pragma once

#include <chrono>
#include <optional>

namespace leat::detail {

/// The time at which a wait ends. nullopt means that it has no deadline.
using PollDeadline = std::optional<std::chrono::steady_clock::time_point>;

/// Returns the time `wait` after `start`, or nullopt if the clock cannot represent it.
PollDeadline deadline_after(std::chrono::steady_clock::time_point start, std::chrono::nanoseconds wait);

/// Returns the milliseconds until the deadline, rounded up and not below 0, or -1 for nullopt. The result is at most
/// twelve days; after that, poll again.
int poll_timeout(PollDeadline deadline);

}  // namespace leat::detail
