/// \file
/// Arithmetic on gradients that are LibTorch's tensors. Not for programs.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>

#include <vector>

#include "leat/datasets/errors.h"
#include "leat/parallel/gradient_clipping.h"
#include "leat/parallel/loss_scaler.h"
#include "leat/torch/dtype.h"

namespace leat::torch::detail {

/// Returns views of the elements of dense tensors in host memory, in the order of their memory.
inline std::vector<TensorView> views_of(const std::vector<::at::Tensor>& gradients) {
  std::vector<TensorView> views;
  views.reserve(gradients.size());
  for (const ::at::Tensor& each : gradients) {
    views.push_back({.data = each.data_ptr(),
                     .dtype = *dtype_of_tensor(each.scalar_type()),
                     .shape = {static_cast<std::size_t>(each.numel())}});
  }
  return views;
}

/// Does what clip_gradient_norm() does, on the gradients' device.
inline double clip(const std::vector<::at::Tensor>& gradients, double max_norm, bool error_if_nonfinite) {
  if (gradients.empty() || gradients.front().is_cpu())
    return clip_gradient_norm(views_of(gradients), max_norm, error_if_nonfinite);
  std::vector<::at::Tensor> norms;
  norms.reserve(gradients.size());
  const auto norm_of = [](const ::at::Tensor& values) {
    return ::at::linalg_vector_norm(values, 2, ::c10::nullopt, false, ::at::kDouble);
  };
  for (const ::at::Tensor& each : gradients) norms.push_back(norm_of(each));
  const double norm = norm_of(::at::stack(norms)).item<double>();
  const double factor = clip_factor(norm, max_norm, error_if_nonfinite);
  if (factor == 1) return norm;
  for (::at::Tensor each : gradients) each.mul_(factor);
  return norm;
}

/// Does what unscale_gradients() does, on the gradients' device.
inline bool unscale(const std::vector<::at::Tensor>& gradients, double scale) {
  if (gradients.empty() || gradients.front().is_cpu()) return unscale_gradients(views_of(gradients), scale);
  for (const ::at::Tensor& each : gradients) {
    if (each.scalar_type() == ::at::kHalf)
      throw ArgumentError("gradients of f16 cannot be divided by the scale of the loss; train f32 copies");
  }
  std::vector<::at::Tensor> finite;
  finite.reserve(gradients.size());
  for (::at::Tensor each : gradients) {
    finite.push_back(each.isfinite().all());
    each.mul_(1 / scale);
  }
  return !::at::stack(finite).all().item<bool>();
}

}  // namespace leat::torch::detail
