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

std::byte* at(void* buffer, std::size_t element, DType dtype) {
  return static_cast<std::byte*>(buffer) + element * size_of(dtype);
}

void write_to_all(std::span<void* const> buffers, std::size_t first, std::size_t count, DType dtype,
                  const Block& sum) {
  for (void* buffer : buffers) std::memcpy(at(buffer, first, dtype), sum.data(), count * size_of(dtype));
}

void reduce_block(std::span<void* const> buffers, std::size_t first, std::size_t count, DType dtype,
                  ReduceKernel kernel) {
  alignas(64) Block sum;
  std::memcpy(sum.data(), at(buffers[0], first, dtype), count * size_of(dtype));
  for (void* buffer : buffers.subspan(1)) kernel(sum.data(), at(buffer, first, dtype), count);
  write_to_all(buffers, first, count, dtype, sum);
}

void reduce_half_block(std::span<void* const> buffers, std::size_t first, std::size_t count, DType dtype,
                       ReduceKernel kernel) {
  alignas(64) std::array<float, kBlockBytes / sizeof(float)> sum;
  alignas(64) std::array<float, kBlockBytes / sizeof(float)> next;
  alignas(64) Block rounded;
  widen(sum.data(), at(buffers[0], first, dtype), dtype, count);
  for (void* buffer : buffers.subspan(1)) {
    widen(next.data(), at(buffer, first, dtype), dtype, count);
    kernel(sum.data(), next.data(), count);
  }
  narrow(rounded.data(), sum.data(), dtype, count);
  write_to_all(buffers, first, count, dtype, rounded);
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

void slice_reduce(std::span<void* const> buffers, ElementRange range, DType dtype, ReduceOp op) {
  const bool half = is_half_precision(dtype);
  const DType summed = half ? DType::f32 : dtype;
  const ReduceKernel kernel = reduce_kernel(op, summed);
  const std::size_t block = kBlockBytes / size_of(summed);
  for (std::size_t first = range.first; first < range.last; first += block) {
    const std::size_t count = std::min(block, range.last - first);
    (half ? reduce_half_block : reduce_block)(buffers, first, count, dtype, kernel);
  }
}

}  // namespace leat::detail
