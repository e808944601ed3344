// AliasTable: draws from any discrete distribution in constant time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace leat::detail {

// Implements Walker's alias method; the table is built as in Vose, "A Linear Algorithm for Generating Random Numbers
// with a Given Distribution" (IEEE TSE 17, 1991). The table is a square of n columns of equal width, each divided
// between two indices, in which every index covers an area in proportion to its weight. Takes 16 bytes per index.
// Immutable.
class AliasTable {
 public:
  // The weights must be finite and not negative, and at least one must be above zero.
  explicit AliasTable(std::span<const double> weights);

  std::size_t size() const noexcept { return columns_.size(); }

  // Returns the index at a point of the square: `column` is below size(), `height` in [0, 1). If the points are drawn
  // uniformly, the probability of each index is proportional to its weight, and an index of weight 0 never comes.
  std::uint64_t at(std::uint64_t column, double height) const noexcept {
    return height < columns_[column].cut ? column : columns_[column].alias;
  }

 private:
  struct Column {
    double cut = 1;           // heights below it belong to the column's own index
    std::uint64_t alias = 0;  // the index of the other heights
  };

  std::vector<Column> columns_;
};

}  // namespace leat::detail
