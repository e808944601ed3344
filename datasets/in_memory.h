/// \file
/// A dataset of samples that are already in memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "leat/datasets/dataset.h"
#include "leat/datasets/export.h"

namespace leat {

/// Owns one contiguous array of fixed-shape rows for each field. Row i of every array forms sample i. Workers are
/// forked and share the memory. get() copies a row of each array and allocates nothing.
///
/// Immutable, so thread-safe.
class LEAT_EXPORT InMemoryDataset final : public Dataset {
 public:
  /// The values of one field.
  struct Column {
    Field field;                  ///< The field, of fixed shape.
    std::vector<std::byte> data;  ///< Its rows, one after the other, in the host's byte order.
  };

  /// Throws ArgumentError if there are no columns, if a column's field is ragged or its data is not a whole number of
  /// rows, if the columns have different numbers of rows, or if the names break a rule of Schema.
  explicit InMemoryDataset(std::vector<Column> columns);

  /// Makes a column from elements. `shape` is the shape of one row: column<float>("x", {3}, {1, 2, 3, 4, 5, 6}) has
  /// two rows.
  template <class T>
  static Column column(std::string name, Shape shape, const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {{std::move(name), dtype_of<T>, std::move(shape)}, {bytes.begin(), bytes.end()}};
  }

  std::size_t size() const override { return rows_; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void prefetch(std::size_t index) const noexcept override;

 private:
  std::vector<std::vector<std::byte>> columns_;
  Schema schema_;
  std::size_t rows_ = 0;
};

}  // namespace leat
