/// \file
/// Splitting a batch among replicas along its first dimension, and joining their results.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/datasets/tensor_view.h"
#include "leat/transfer/device.h"

namespace leat {

/// Consecutive rows of a batch.
struct LEAT_EXPORT RowRange {
  std::size_t first = 0;  ///< the first row
  std::size_t last = 0;   ///< the row after the last

  /// Returns the number of rows.
  std::size_t size() const noexcept { return last - first; }
  /// Compares both ends.
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

/// Divides `n` rows into at most `k` chunks of ceil(n / k) rows, of which the last may be shorter, as torch.chunk
/// does: 10 rows by 4 are 3, 3, 3 and 1; 5 rows by 4 are 2, 2 and 1, three chunks. Zero rows make zero chunks. Throws
/// ArgumentError if k is 0.
LEAT_EXPORT std::vector<RowRange> chunk_rows(std::size_t n, std::size_t k);

/// Returns views of the chunks of a batch into which chunk_rows() divides its rows. Throws ArgumentError if k is 0, or
/// for a tensor without dimensions.
LEAT_EXPORT std::vector<TensorView> scatter(const TensorView& batch, std::size_t k);

/// Concatenates `parts` along the first dimension into `out`, in their order, by copies that it enqueues on `stream`.
/// Throws ArgumentError if dtypes or shapes do not fit, naming both.
LEAT_EXPORT void gather(std::span<const TensorView> parts, const TensorView& out, StreamRef stream);

}  // namespace leat
