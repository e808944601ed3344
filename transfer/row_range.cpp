#include "leat/transfer/row_range.h"

#include <fmt/format.h>

#include <algorithm>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"

namespace leat {

std::vector<RowRange> chunk_rows(std::size_t n, std::size_t k) {
  if (k == 0) throw ArgumentError(fmt::format("{} rows cannot be cut into 0 chunks", n));
  const std::size_t chunk = detail::divide_up(n, k);
  std::vector<RowRange> chunks;
  for (std::size_t first = 0; first < n; first += chunk)
    chunks.push_back({first, std::min(n, first + chunk)});
  return chunks;
}

}  // namespace leat
