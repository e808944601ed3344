/// \file
/// Tensors as fields of a sample.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "leat/datasets/errors.h"
#include "leat/datasets/sample_writer.h"
#include "leat/torch/dtype.h"

namespace leat::torch {

/// Returns dtype and shape of a tensor as a field called `name`. Throws ArgumentError if no field can hold it: if it is
/// undefined, not on the CPU, not dense, or of a dtype that leat does not have.
inline Field field_of(std::string name, const ::at::Tensor& tensor) {
  const auto refuse = [&](const std::string& what) {
    throw ArgumentError("field '" + name + "': the tensor " + what);
  };
  if (!tensor.defined()) refuse("is undefined");
  if (!tensor.device().is_cpu()) refuse("is on " + tensor.device().str() + ", samples are on the CPU");
  if (tensor.layout() != ::at::kStrided) refuse("is not dense");
  const auto dtype = dtype_of_tensor(tensor.scalar_type());
  if (!dtype)
    refuse(std::string("is of dtype ") + ::c10::toString(tensor.scalar_type()) +
           ", which leat does not have");
  return {std::move(name), *dtype, {tensor.sizes().begin(), tensor.sizes().end()}};
}

/// Copies a tensor to the field at this position of the schema; for a ragged field, its shape is [length, shape...].
/// If it is not contiguous, it is made so first. Throws ArgumentError that names the field and both shapes if it does
/// not fit the schema, and like field_of().
inline void set(SampleWriter& out, std::size_t field, const ::at::Tensor& tensor) {
  const Field given = field_of(out.schema()[field].name, tensor);
  const ::at::Tensor dense =
      tensor.contiguous().resolve_neg();  // LibTorch may only note that a sign is to be changed
  out.set_tensor(field, given.dtype, given.shape, dense.data_ptr());
}

/// Copies a tensor to the field with this name.
inline void set(SampleWriter& out, std::string_view field, const ::at::Tensor& tensor) {
  set(out, out.schema().index_of(field), tensor);
}

}  // namespace leat::torch
