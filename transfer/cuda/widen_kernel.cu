#include "leat/transfer/cuda/batch_kernels.h"
#include "leat/transfer/cuda/grid.cuh"
#include "leat/transfer/cuda/launch.h"

namespace leat::detail::cuda {
namespace {

// Each thread converts kCount values.
template <class T, int kCount>
__global__ void __launch_bounds__(kThreads)
    widen_values(std::int64_t* __restrict__ to, const T* __restrict__ from, std::size_t count) {
  const std::size_t items = (count + kCount - 1) / kCount;
  for (std::size_t i = first_item(); i < items; i += item_step()) {
    const std::size_t first = i * kCount;
    if (first + kCount <= count) {
      const auto read = *reinterpret_cast<const Pack<T, kCount>*>(from + first);
      Pack<std::int64_t, kCount> written;
#pragma unroll
      for (int k = 0; k < kCount; ++k) written.values[k] = static_cast<std::int64_t>(read.values[k]);
      *reinterpret_cast<Pack<std::int64_t, kCount>*>(to + first) = written;
    } else {
      for (std::size_t k = first; k < count; ++k) to[k] = static_cast<std::int64_t>(from[k]);
    }
  }
}

template <class T>
cudaError_t launch_from(const Widen& widen, cudaStream_t stream) {
  const auto* const from = static_cast<const T*>(widen.from);
  if (is_aligned(widen.to, 16) && is_aligned(from, 2 * sizeof(T))) {
    return launch_kernel(widen_values<T, 2>, grid_of((widen.count + 1) / 2), kThreads, stream, widen.to, from,
                         widen.count);
  }
  return launch_kernel(widen_values<T, 1>, grid_of(widen.count), kThreads, stream, widen.to, from,
                       widen.count);
}

}  // namespace

cudaError_t launch(const Widen& widen, cudaStream_t stream) {
  if (widen.count == 0) return cudaSuccess;
  switch (widen.dtype) {
    case DType::u8:
      return launch_from<std::uint8_t>(widen, stream);
    case DType::u16:
      return launch_from<std::uint16_t>(widen, stream);
    case DType::u32:
      return launch_from<std::uint32_t>(widen, stream);
    default:
      return launch_from<std::int32_t>(widen, stream);
  }
}

}  // namespace leat::detail::cuda
