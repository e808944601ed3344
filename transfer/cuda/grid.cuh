// Grids of kernels whose threads handle items 0, 1, 2, ... of an operation, and what a thread reads or writes at once.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace leat::detail::cuda {

constexpr unsigned kThreads = 256;  // of a block

// Enough blocks for several waves on every GPU. A thread of a larger operation handles several items:
// for (std::size_t i = first_item(); i < items; i += item_step())
constexpr std::size_t kMaxBlocks = 4096;

inline dim3 grid_of(std::size_t items) {
  return dim3(static_cast<unsigned>(std::min((items + kThreads - 1) / kThreads, kMaxBlocks)));
}

inline __device__ std::size_t first_item() {
  return std::size_t{blockIdx.x} * kThreads + threadIdx.x;
}
inline __device__ std::size_t item_step() {
  return std::size_t{gridDim.x} * kThreads;
}

// Values that a thread reads or writes at once, if their address is a multiple of their size.
template <class T, int kCount>
struct alignas(sizeof(T) * kCount) Pack {
  T values[kCount];
};

inline bool is_aligned(const void* address, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(address) % to == 0;
}

}  // namespace leat::detail::cuda
