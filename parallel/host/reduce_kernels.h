// Element-wise sums and maxima on the host, shared by the communicators that run there. Built with -O3, because g++
// 12 vectorizes these loops at no lower level.
#pragma once

#include <cstddef>

#include "leat/parallel/communicator.h"

namespace leat::detail {

// Computes into[i] = op(into[i], from[i]) for `count` elements. The two arrays must not overlap. Integers wrap
// around. The maximum is defined for numbers only: if one operand is NaN, the result is one of the two.
using ReduceKernel = void (*)(void* into, const void* from, std::size_t count);

// Returns the kernel for f32, f64, i32 or i64; that of an average computes the sum. Throws ArgumentError for any other
// dtype.
ReduceKernel reduce_kernel(ReduceOp op, DType dtype);

bool is_half_precision(DType dtype) noexcept;  // f16 or bf16: reduced in f32

// Divides f32 or f64 elements by a number of ranks. Throws ArgumentError for any other dtype.
void divide(void* data, DType dtype, std::size_t count, int ranks);

// Returns whether the operation takes the dtype: f32, f64, f16 and bf16, and i32 and i64 except for averages.
bool is_reducible(DType dtype, ReduceOp op = ReduceOp::sum) noexcept;

// Convert f16 or bf16 elements to f32 and back (to nearest, ties to even).
void widen(float* to, const void* from, DType dtype, std::size_t count);
void narrow(void* to, const float* from, DType dtype, std::size_t count);

}  // namespace leat::detail
