// Draws from any discrete distribution in constant time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace leat::detail {

// Walker's alias method, built as in Vose, "A Linear Algorithm for Generating Random Numbers with a Given
// Distribution" (IEEE TSE 17, 1991). A square of n columns of equal width, each divided between two indices,
// in which every index covers an area in proportion to its weight. 16 bytes per index. Immutable.
class AliasTable {
 public:
  // The weights are finite and not negative, and one at least is above zero.
  explicit AliasTable(std::span<const double> weights);

  std::size_t size() const noexcept { return columns_.size(); }

  // The index at a point of the square: `column` below size(), `height` in [0, 1). Of points drawn evenly,
  // every index gets its share; one whose weight is 0 gets none.
  std::uint64_t at(std::uint64_t column, double height) const noexcept {
    return height < columns_[column].cut ? column : columns_[column].alias;
  }

 private:
  struct Column {
    double cut = 1;           // below it lies the column's own index
    std::uint64_t alias = 0;  // above it this one
  };

  std::vector<Column> columns_;
};

}  // namespace leat::detail
