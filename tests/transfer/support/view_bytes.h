// The bytes of a view, to be compared.
#pragma once

#include <cstddef>
#include <vector>

#include "leat/datasets/tensor_view.h"

namespace leat::test {

// Returns a copy of the bytes of a view in memory that the host can read.
inline std::vector<std::byte> bytes_of(const TensorView& view) {
  const auto* const first = static_cast<const std::byte*>(view.data);
  return {first, first + view.bytes()};
}

}  // namespace leat::test
