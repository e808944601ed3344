/// \file
/// Splitting a batch among replicas along its first dimension, and joining their results.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/datasets/tensor_view.h"
#include "leat/transfer/device.h"
#include "leat/transfer/row_range.h"

namespace leat {

/// Returns views of the chunks of a batch into which chunk_rows() divides its rows. Throws ArgumentError if k is 0, or
/// for a tensor without dimensions.
LEAT_EXPORT std::vector<TensorView> scatter(const TensorView& batch, std::size_t k);

/// Concatenates `parts` along the first dimension into `out`, in their order, by copies that it enqueues on `stream`.
/// Throws ArgumentError if dtypes or shapes do not fit, naming both.
LEAT_EXPORT void gather(std::span<const TensorView> parts, const TensorView& out, StreamRef stream);

}  // namespace leat
