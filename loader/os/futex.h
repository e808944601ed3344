// Sleeping on a 32-bit word that lies in shared memory.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "leat/datasets/base/shared_atomic.h"

namespace leat::detail {

// Sleeps while `word` holds `seen`; may return early. A hint only: the caller looks at its own condition
// again.
void futex_wait(const SharedAtomic<std::uint32_t>& word, std::uint32_t seen) noexcept;

// The same until `deadline`; false where that passes.
bool futex_wait_until(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                      std::chrono::steady_clock::time_point deadline) noexcept;

void futex_wake_all(const SharedAtomic<std::uint32_t>& word) noexcept;

}  // namespace leat::detail
