// NumPy's .npy, version 1.0, for writing.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "leat/datasets/dtype.h"
#include "leat/datasets/tensor_view.h"

namespace leat::detail {

// Throws ArgumentError on bf16, which NumPy does not have.
std::vector<std::byte> to_npy(DType dtype, const Shape& shape, std::span<const std::byte> values);

}  // namespace leat::detail
