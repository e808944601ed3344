// WorkerRecord: what a worker reports about itself in shared memory. Deadlines, statistics and the decision to give
// up on the workers are based on it, but no sample is lost because of it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "leat/datasets/base/shared_atomic.h"
#include "leat/loader/os/stack_trace.h"

namespace leat::detail {

// The worker writes its own record, except pid and starts, which the fork server writes (and SlotTable::restart()
// resets). Before each fork, the fork server also resets busy_since, up, lost_descriptor and the stack. It empties
// the stack of a worker that does not answer when asked for it. Times are nanoseconds of std::chrono::steady_clock,
// which all processes of a machine share.
struct alignas(64) WorkerRecord {
  SharedAtomic<std::int32_t> pid{0};          // 0 if there is no process
  SharedAtomic<std::uint32_t> starts{0};      // number of processes that have had this id
  SharedAtomic<std::uint64_t> busy_since{0};  // start of the sample (of the chunk if no deadline); 0: idle
  SharedAtomic<std::uint64_t> busy_ns{0};     // time spent in finished chunks
  SharedAtomic<std::uint64_t> samples{0};     // samples that were loaded or found to be bad
  // No worker reads these two flags, so the interleaving tests do not simulate them as steps.
  std::atomic<bool> up{false};               // it has initialized, and looks for work from now on
  std::atomic<bool> lost_descriptor{false};  // it ends because it has lost a descriptor
  StackTrace stack;                          // its stack when it was asked for it, or when it crashed
};

inline std::uint64_t steady_ns() noexcept {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

}  // namespace leat::detail
