// A bare loop that sums the memory of two ranks: what any all-reduce through shared memory has to do.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "leat/datasets/dtype.h"

namespace leat::bench {

inline constexpr int kRanks = 2;

// Two ranks wait for each other, without errors, deadlines or checks.
class BareBarrier {
 public:
  explicit BareBarrier(int spins) : spins_(spins) {}
  void wait() noexcept;  // tries `spins` times, then sleeps

 private:
  const int spins_;
  alignas(64) std::atomic<std::uint32_t> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> round_{0};
};

// Sums both buffers element by element: each rank does one half, and writes it to both. For f32 and bf16.
void bare_all_reduce(BareBarrier& barrier, int rank, void* first, void* second, std::size_t count,
                     DType dtype);

}  // namespace leat::bench
