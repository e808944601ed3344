#include <limits>

#include "leat/transfer/cuda/batch_kernels.h"
#include "leat/transfer/cuda/grid.cuh"
#include "leat/transfer/cuda/launch.h"

namespace leat::detail::cuda {
namespace {

// The targets of a row, which depend on its label alone.
struct Targets {
  float on;
  float off;
  float invalid;
};

// Returns the target of a class.
__device__ float target(const Targets& targets, std::int64_t label, std::size_t column, std::size_t classes) {
  const bool is_class = label >= 0 && static_cast<std::size_t>(label) < classes;
  if (!is_class) return targets.invalid;
  return static_cast<std::size_t>(label) == column ? targets.on : targets.off;
}

// Each thread writes kCount targets, which may belong to several rows. `count` is rows * classes.
template <class T, int kCount>
__global__ void __launch_bounds__(kThreads)
    write_targets(float* __restrict__ to, const T* __restrict__ labels, std::size_t count,
                  std::size_t classes, const Targets targets) {
  const std::size_t items = (count + kCount - 1) / kCount;
  for (std::size_t i = first_item(); i < items; i += item_step()) {
    const std::size_t first = i * kCount;
    std::size_t row = first / classes;
    std::size_t column = first % classes;
    auto label = static_cast<std::int64_t>(labels[row]);
    Pack<float, kCount> pack;
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      pack.values[k] = target(targets, label, column, classes);
      if (++column == classes && first + k + 1 < count) {
        column = 0;
        label = static_cast<std::int64_t>(labels[++row]);
      }
    }
    if (first + kCount <= count) {
      *reinterpret_cast<Pack<float, kCount>*>(to + first) = pack;
    } else {
#pragma unroll
      for (int k = 0; k < kCount; ++k) {  // indexes that are known keep the values in registers
        if (first + k < count) to[first + k] = pack.values[k];
      }
    }
  }
}

template <class T>
cudaError_t launch_of(const OneHot& one_hot, cudaStream_t stream) {
  const auto* const labels = static_cast<const T*>(one_hot.labels);
  const std::size_t count = one_hot.rows * one_hot.classes;
  const Targets targets{one_hot.on(), one_hot.off(), std::numeric_limits<float>::quiet_NaN()};
  if (is_aligned(one_hot.to, 16)) {
    return launch_kernel(write_targets<T, 4>, grid_of((count + 3) / 4), kThreads, stream, one_hot.to, labels,
                         count, one_hot.classes, targets);
  }
  return launch_kernel(write_targets<T, 1>, grid_of(count), kThreads, stream, one_hot.to, labels, count,
                       one_hot.classes, targets);
}

}  // namespace

cudaError_t launch(const OneHot& one_hot, cudaStream_t stream) {
  if (one_hot.rows == 0) return cudaSuccess;
  switch (one_hot.dtype) {
    case DType::u8:
      return launch_of<std::uint8_t>(one_hot, stream);
    case DType::u16:
      return launch_of<std::uint16_t>(one_hot, stream);
    case DType::i32:
      return launch_of<std::int32_t>(one_hot, stream);
    default:
      return launch_of<std::int64_t>(one_hot, stream);
  }
}

}  // namespace leat::detail::cuda
