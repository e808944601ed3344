// CUDA C++ for a compiler of C++: what a .cu file needs, so that its kernels run on the CPU.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __restrict__ __restrict

// Of the thread of a kernel that runs now.
inline thread_local uint3 threadIdx, blockIdx;
inline thread_local dim3 blockDim, gridDim;

namespace leat::cuda_fake {

// Returns where the host can use device memory while a kernel runs; other addresses are returned as they are.
void* host_alias(const void* address);

// Enqueues `thread`, which runs once for each thread of the grid. `addresses` are the kernel's pointers.
cudaError_t launch(const cudaLaunchConfig_t& config, std::vector<const void*> addresses,
                   std::function<void()> thread);

// Exchanges 8 bytes within the calling thread's warp: returns those of lane `lane ^ mask`, once all lanes have come.
std::uint64_t exchange(unsigned members, std::uint64_t value, unsigned mask);
void wait_for_warp(unsigned members);
void wait_for_block();

template <class T>
T argument_of(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return static_cast<T>(host_alias(value));
  } else {
    return value;
  }
}

template <class T>
void collect(std::vector<const void*>& addresses, const T& value) {
  if constexpr (std::is_pointer_v<T>) addresses.push_back(value);
}

}  // namespace leat::cuda_fake

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  std::vector<const void*> addresses;
  const std::tuple<std::remove_const_t<Parameters>...> given(std::forward<Arguments>(arguments)...);
  std::apply([&](const auto&... each) { (leat::cuda_fake::collect(addresses, each), ...); }, given);
  const auto used = std::apply(
      [](const auto&... each) { return std::make_tuple(leat::cuda_fake::argument_of(each)...); }, given);
  return leat::cuda_fake::launch(*config, std::move(addresses), [kernel, used] { std::apply(kernel, used); });
}

inline float __fmaf_rn(float a, float b, float c) {
  return std::fma(a, b, c);
}

// Files of kernels are compiled so that these are not fused: cmake/cuda_fake.cmake.
inline float __fadd_rn(float a, float b) {
  return a + b;
}
inline float __fmul_rn(float a, float b) {
  return a * b;
}
inline float __uint_as_float(unsigned bits) {
  return std::bit_cast<float>(bits);
}

inline void __syncthreads() {
  leat::cuda_fake::wait_for_block();
}
inline void __syncwarp(unsigned members = ~0U) {
  leat::cuda_fake::wait_for_warp(members);
}
template <class T>
T __shfl_xor_sync(unsigned members, T value, unsigned mask) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = leat::cuda_fake::exchange(members, bits, mask);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Threads of a grid run one at a time.
inline double atomicAdd(double* address, double value) {
  const double before = *address;
  *address += value;
  return before;
}
