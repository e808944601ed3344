#include "loader/base/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

namespace leat {

static_assert(sizeof(SharedAtomic<std::uint32_t>) == sizeof(std::uint32_t));

void futex_wait(const SharedAtomic<std::uint32_t>& word, std::uint32_t seen) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, nullptr, nullptr, 0);
}

void futex_wake_all(const SharedAtomic<std::uint32_t>& word) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace leat
