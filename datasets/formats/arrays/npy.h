// Writes NumPy's .npy files, version 1.0.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "leat/datasets/dtype.h"
#include "leat/datasets/tensor_view.h"

namespace leat::detail {

// Returns the content of a file. Throws ArgumentError on bf16, which NumPy does not have.
std::vector<std::byte> to_npy(DType dtype, const Shape& shape, std::span<const std::byte> values);

}  // namespace leat::detail
