// Splitting batches over replicas along the first dimension, and joining what they give back.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "leat/datasets/tensor_view.h"
#include "leat/transfer/device.h"

namespace leat {

// Rows [first, last).
struct RowRange {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t size() const noexcept { return last - first; }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

// At most `k` chunks of ceil(n / k) rows each, the last one shorter, as torch.chunk cuts: 10 over 4 is 3, 3,
// 3, 1, and 5 over 4 is 2, 2, 1: three chunks. Replicas beyond the last chunk stay idle. No rows give no
// chunks. Throws ArgumentError where k is 0.
std::vector<RowRange> chunk_rows(std::size_t n, std::size_t k);

// The chunks of chunk_rows() as views of the same memory. Throws ArgumentError for a scalar.
std::vector<TensorView> scatter(const TensorView& batch, std::size_t k);

// Concatenates `parts` along the first dimension into `out`, in their order, by copies on `stream`. Throws
// ArgumentError where dtypes or shapes do not fit, naming both.
void gather(std::span<const TensorView> parts, const TensorView& out, StreamRef stream);

}  // namespace leat
