// What a worker says of itself in shared memory. Deadlines, statistics and the size of chunks are taken from it;
// no sample's fate hangs on it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "leat/datasets/base/shared_atomic.h"
#include "leat/loader/os/stack_trace.h"

namespace leat::detail {

// Written by the worker, but for pid and starts, which the fork server writes, as it does `up` when it forks. Times are
// nanoseconds of std::chrono::steady_clock, which all processes of a machine share.
struct alignas(64) WorkerRecord {
  SharedAtomic<std::int32_t> pid{0};      // 0: no process
  SharedAtomic<std::uint32_t> starts{0};  // processes that have carried this id
  SharedAtomic<std::uint64_t> busy_since{
      0};  // when it began the sample (the chunk, where nothing has a deadline)
  SharedAtomic<std::uint64_t> busy_ns{0};  // in finished chunks
  SharedAtomic<std::uint64_t> samples{0};  // in finished chunks
  // No worker reads these two, so they are no steps of a simulation.
  std::atomic<bool> up{false};               // it has initialized, and looks for work from now on
  std::atomic<bool> lost_descriptor{false};  // it ends for that reason
  StackTrace stack;                          // where it was when it was asked to say, or when it crashed
};

inline std::uint64_t steady_ns() noexcept {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

}  // namespace leat::detail
