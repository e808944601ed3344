#include "leat/loader/os/poll_deadline.h"

#include <algorithm>
#include <cstdint>

namespace leat::detail {

PollDeadline deadline_after(std::chrono::steady_clock::time_point start, std::chrono::nanoseconds wait) {
  using Point = std::chrono::steady_clock::time_point;
  if (wait > Point::max() - start) return std::nullopt;
  return start + wait;
}

int poll_timeout(PollDeadline deadline) {
  if (!deadline) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30));
}

}  // namespace leat::detail
