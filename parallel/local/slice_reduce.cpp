#include "leat/parallel/local/slice_reduce.h"

#include <fmt/format.h>

#include <algorithm>

#include "leat/parallel/host/reduce_kernels.h"

// Highway includes the loops again for each instruction set, and once more below for the baseline that all machines
// have.
#define HWY_TARGET_INCLUDE "leat/parallel/local/slice_reduce-inl.h"
#include <hwy/foreach_target.h>

#include "leat/parallel/local/slice_reduce-inl.h"

namespace leat::detail {

HWY_EXPORT(ReduceSlice);

ElementRange slice_of(int rank, int ranks, std::size_t count) noexcept {
  constexpr std::size_t kUnit = 64;  // whole cache lines, so that two ranks do not write to one
  const std::size_t units = count / kUnit + (count % kUnit != 0 ? 1 : 0);
  const auto cut = [&](int index) {
    const std::size_t share = units / static_cast<std::size_t>(ranks);
    const std::size_t rest = units % static_cast<std::size_t>(ranks);
    const auto i = static_cast<std::size_t>(index);
    return std::min(count, (share * i + std::min(i, rest)) * kUnit);
  };
  return {cut(rank), cut(rank + 1)};
}

void slice_reduce(SliceSources sources, SliceTargets targets, ElementRange range, DType dtype, ReduceOp op) {
  if (!is_reducible(dtype, op)) throw ArgumentError(fmt::format("no such reduction of {}", name_of(dtype)));
  if (range.first < range.last) HWY_DYNAMIC_DISPATCH(ReduceSlice)(sources, targets, range, dtype, op);
}

}  // namespace leat::detail
