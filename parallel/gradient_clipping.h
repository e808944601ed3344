/// \file
/// Clipping of gradients by their global norm.
#pragma once

#include <span>

#include "leat/datasets/errors.h"
#include "leat/datasets/export.h"
#include "leat/datasets/tensor_view.h"

namespace leat {

/// Reports gradients that are infinite or NaN.
class LEAT_EXPORT NonFiniteGradients : public Error {
 public:
  using Error::Error;
};

/// Returns the 2-norm of all elements of all gradients, which are f16, bf16, f32 or f64 in host memory. It is computed
/// in f64 and in a fixed order, so equal gradients have norms of the same bits on all ranks. It is infinite or NaN only
/// if an element is, or if the norm exceeds the range of f64. Throws ArgumentError for gradients of another dtype.
LEAT_EXPORT double gradient_norm(std::span<const TensorView> gradients);

/// Returns min(1, max_norm / (norm + 1e-6)), the factor by which clipping multiplies gradients, as PyTorch's
/// clip_grad_norm_() computes it: 0 for an infinite norm, NaN for a norm of NaN. Throws ArgumentError if `max_norm` is
/// negative or NaN; NonFiniteGradients if `error_if_nonfinite` is set and the norm is infinite or NaN.
LEAT_EXPORT double clip_factor(double norm, double max_norm, bool error_if_nonfinite = false);

/// Multiplies all elements by one factor, such that their 2-norm is at most `max_norm`, as PyTorch's clip_grad_norm_()
/// does, and returns the norm that they had. The factor is clip_factor(); if it is 1, nothing changes. The products are
/// rounded to nearest. The gradients are f16, bf16, f32 or f64 in host memory.
///
/// Throws what gradient_norm() and clip_factor() throw; the gradients are unchanged then.
LEAT_EXPORT double clip_gradient_norm(std::span<const TensorView> gradients, double max_norm,
                                      bool error_if_nonfinite = false);

}  // namespace leat
