#include "bench/collectives/bare_reduce.h"

#include "leat/datasets/base/half_math.h"
#include "leat/loader/os/futex.h"

namespace leat::bench {

using namespace detail;

namespace {

void sum(float* __restrict a, float* __restrict b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i] = a[i] + b[i];
}

void sum(BFloat16* __restrict a, BFloat16* __restrict b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i] = narrow_to_bfloat16(widen(a[i]) + widen(b[i]));
}

template <class T>
void sum_half(int rank, void* first, void* second, std::size_t count) {
  const std::size_t from = rank == 0 ? 0 : count / 2;
  const std::size_t to = rank == 0 ? count / 2 : count;
  sum(static_cast<T*>(first) + from, static_cast<T*>(second) + from, to - from);
}

}  // namespace

void BareBarrier::wait() noexcept {
  const std::uint32_t round = round_.load();
  if (arrived_.fetch_add(1) + 1 == kRanks) {
    arrived_.store(0);
    round_.store(round + 1);
    futex_wake_all(round_);
    return;
  }
  for (int spin = 0; spin < spins_; ++spin) {
    if (round_.load(std::memory_order_acquire) != round) return;
  }
  while (round_.load() == round) futex_wait(round_, round);
}

void bare_all_reduce(BareBarrier& barrier, int rank, void* first, void* second, std::size_t count,
                     DType dtype) {
  barrier.wait();
  if (dtype == DType::f32) {
    sum_half<float>(rank, first, second, count);
  } else {
    sum_half<BFloat16>(rank, first, second, count);
  }
  barrier.wait();
}

}  // namespace leat::bench
