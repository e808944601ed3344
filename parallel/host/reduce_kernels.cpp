#include "leat/parallel/host/reduce_kernels.h"

#include <fmt/format.h>

#include <type_traits>

#include "leat/datasets/base/half_math.h"

namespace leat::detail {
namespace {

template <class T>
T add(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;  // wraps around, where signed overflow would be undefined
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  } else {
    return a + b;
  }
}

template <class T>
void sum_into(void* into, const void* from, std::size_t count) {
  T* __restrict target = static_cast<T*>(into);
  const T* __restrict source = static_cast<const T*>(from);
  for (std::size_t i = 0; i < count; ++i) target[i] = add(target[i], source[i]);
}

template <class T>
void max_into(void* into, const void* from, std::size_t count) {
  T* __restrict target = static_cast<T*>(into);
  const T* __restrict source = static_cast<const T*>(from);
  for (std::size_t i = 0; i < count; ++i) target[i] = source[i] > target[i] ? source[i] : target[i];
}

template <class T>
ReduceKernel kernel_of(ReduceOp op) {
  return op == ReduceOp::max ? &max_into<T> : &sum_into<T>;
}

template <class T>
void divide_all(void* data, std::size_t count, T divisor) {
  T* __restrict values = static_cast<T*>(data);
  for (std::size_t i = 0; i < count; ++i) values[i] /= divisor;
}

template <class T>
void widen_all(float* __restrict to, const T* __restrict from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = widen(from[i]);
}

}  // namespace

ReduceKernel reduce_kernel(ReduceOp op, DType dtype) {
  switch (dtype) {
    case DType::f32:
      return kernel_of<float>(op);
    case DType::f64:
      return kernel_of<double>(op);
    case DType::i32:
      return kernel_of<std::int32_t>(op);
    case DType::i64:
      return kernel_of<std::int64_t>(op);
    default:
      throw ArgumentError(fmt::format("no reduction kernel for {}", name_of(dtype)));
  }
}

bool is_half_precision(DType dtype) noexcept {
  return dtype == DType::f16 || dtype == DType::bf16;
}

void divide(void* data, DType dtype, std::size_t count, int ranks) {
  switch (dtype) {
    case DType::f32:
      return divide_all(data, count, static_cast<float>(ranks));
    case DType::f64:
      return divide_all(data, count, static_cast<double>(ranks));
    default:
      throw ArgumentError(fmt::format("no division of {}", name_of(dtype)));
  }
}

bool is_reducible(DType dtype, ReduceOp op) noexcept {
  if (dtype == DType::i32 || dtype == DType::i64) return op != ReduceOp::average;
  return is_half_precision(dtype) || dtype == DType::f32 || dtype == DType::f64;
}

void widen(float* to, const void* from, DType dtype, std::size_t count) {
  if (dtype == DType::f16) {
    widen_all(to, static_cast<const Half*>(from), count);
  } else {
    widen_all(to, static_cast<const BFloat16*>(from), count);
  }
}

void narrow(void* to, const float* from, DType dtype, std::size_t count) {
  if (dtype == DType::f16) {
    Half* __restrict target = static_cast<Half*>(to);
    for (std::size_t i = 0; i < count; ++i) target[i] = narrow_to_half(from[i]);
  } else {
    BFloat16* __restrict target = static_cast<BFloat16*>(to);
    for (std::size_t i = 0; i < count; ++i) target[i] = narrow_to_bfloat16(from[i]);
  }
}

}  // namespace leat::detail
