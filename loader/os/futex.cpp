#include "leat/loader/os/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

namespace leat::detail {

static_assert(sizeof(SharedAtomic<std::uint32_t>) == sizeof(std::uint32_t));

void futex_wait(const SharedAtomic<std::uint32_t>& word, std::uint32_t seen) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, nullptr, nullptr, 0);
}

// FUTEX_WAIT_BITSET takes an absolute time of the monotonic clock, not a duration.
bool futex_wait_until(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                      std::chrono::steady_clock::time_point deadline) noexcept {
  const auto time = deadline.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const timespec until{static_cast<time_t>(seconds.count()),
                       static_cast<long>(std::chrono::nanoseconds(time - seconds).count())};
  return ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, seen, &until, nullptr, FUTEX_BITSET_MATCH_ANY) == 0 ||
         errno != ETIMEDOUT;
}

void futex_wake_all(const SharedAtomic<std::uint32_t>& word) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace leat::detail
