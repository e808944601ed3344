// Arithmetic on gradients in host memory: norms, scaling, and the search for infinities and NaNs. Takes f16, bf16, f32
// and f64. Results are the same bits on every machine, because the order of all operations is fixed.
#pragma once

#include <cstddef>

#include "leat/datasets/tensor_view.h"

namespace leat::detail {

// Returns whether the functions below take the dtype.
bool is_floating_point(DType dtype) noexcept;

// Returns the sum of (scale * element)^2, in f64.
double sum_of_squares(const TensorView& values, double scale);

// Returns the largest magnitude; 0 if there are no elements. None of the elements may be NaN.
double largest_magnitude(const TensorView& values);

// Multiplies all elements by `factor`, in f64, or in f64 and f32 for 16-bit elements, and rounds the products. Returns
// whether all elements were finite before.
bool multiply(const TensorView& values, double factor);

}  // namespace leat::detail
