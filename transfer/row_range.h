/// \file
/// Rows of a batch, and how they are divided among devices or replicas.
#pragma once

#include <cstddef>
#include <vector>

#include "leat/datasets/export.h"

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

}  // namespace leat
