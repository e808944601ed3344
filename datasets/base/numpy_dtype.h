// NumPy's names of dtypes, which MDS, TFRecord and .npy files use.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "leat/datasets/dtype.h"

namespace leat::detail {

inline constexpr std::size_t kMaxNumpyRank = 32;  // NumPy's limit before version 2

// Returns "uint8", "float32" or "bool", for example. Returns an empty name for bf16, which NumPy does not have.
std::string_view numpy_name(DType dtype) noexcept;
std::optional<DType> dtype_of_numpy_name(std::string_view name) noexcept;

}  // namespace leat::detail
