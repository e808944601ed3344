// Futexes: sleeping on a 32-bit word in shared memory until another thread or process wakes the sleepers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "leat/datasets/base/shared_atomic.h"

namespace leat::detail {

// Sleeps while `word` holds `seen`. May return early, so the caller must check its own condition again.
void futex_wait(const SharedAtomic<std::uint32_t>& word, std::uint32_t seen) noexcept;

// Does the same until `deadline`. Returns false if the deadline has passed.
bool futex_wait_until(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                      std::chrono::steady_clock::time_point deadline) noexcept;

void futex_wake_all(const SharedAtomic<std::uint32_t>& word) noexcept;

}  // namespace leat::detail
