#include "leat/parallel/local/slice_reduce.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "leat/parallel/host/reduce_kernels.h"

namespace leat::detail {
namespace {

// Small enough that a block and its sum stay in the L1 cache between the passes over them.
constexpr std::size_t kBlockBytes = std::size_t{16} << 10;
using Block = std::array<std::byte, kBlockBytes>;

using Sources = std::span<const void* const>;
using Targets = std::span<void* const>;

std::byte* at(void* buffer, std::size_t element, DType dtype) {
  return static_cast<std::byte*>(buffer) + element * size_of(dtype);
}

const std::byte* at(const void* buffer, std::size_t element, DType dtype) {
  return static_cast<const std::byte*>(buffer) + element * size_of(dtype);
}

void write_to_all(Targets targets, std::size_t first, std::size_t count, DType dtype, const Block& sum) {
  for (void* target : targets) std::memcpy(at(target, first, dtype), sum.data(), count * size_of(dtype));
}

void reduce_block(Sources sources, Targets targets, std::size_t first, std::size_t count, DType dtype,
                  ReduceKernel kernel) {
  alignas(64) Block sum;
  std::memcpy(sum.data(), at(sources[0], first, dtype), count * size_of(dtype));
  for (const void* source : sources.subspan(1)) kernel(sum.data(), at(source, first, dtype), count);
  write_to_all(targets, first, count, dtype, sum);
}

void reduce_half_block(Sources sources, Targets targets, std::size_t first, std::size_t count, DType dtype,
                       ReduceKernel kernel) {
  alignas(64) std::array<float, kBlockBytes / sizeof(float)> sum;
  alignas(64) std::array<float, kBlockBytes / sizeof(float)> next;
  alignas(64) Block rounded;
  widen(sum.data(), at(sources[0], first, dtype), dtype, count);
  for (const void* source : sources.subspan(1)) {
    widen(next.data(), at(source, first, dtype), dtype, count);
    kernel(sum.data(), next.data(), count);
  }
  narrow(rounded.data(), sum.data(), dtype, count);
  write_to_all(targets, first, count, dtype, rounded);
}

}  // namespace

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

void slice_reduce(std::span<const void* const> sources, std::span<void* const> targets, ElementRange range,
                  DType dtype, ReduceOp op) {
  const bool half = is_half_precision(dtype);
  const DType summed = half ? DType::f32 : dtype;
  const ReduceKernel kernel = reduce_kernel(op, summed);
  const std::size_t block = kBlockBytes / size_of(summed);
  for (std::size_t first = range.first; first < range.last; first += block) {
    const std::size_t count = std::min(block, range.last - first);
    (half ? reduce_half_block : reduce_block)(sources, targets, first, count, dtype, kernel);
  }
}

}  // namespace leat::detail
