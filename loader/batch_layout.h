/// \file
/// The layout of a batch in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/datasets/schema.h"
#include "leat/datasets/tensor_view.h"

namespace leat {

/// Places the fields of a batch in a slot, the memory of one batch. Immutable.
///
/// Fields follow each other in schema order. Each starts at a multiple of kAlignment and holds `capacity` rows without
/// gaps. A short batch uses the first rows of each field.
///
/// A ragged field consists of two arrays, each aligned: the values, with room for `capacity` rows of the greatest
/// length, and capacity + 1 row offsets. Row r of a delivered batch holds the elements [offset r, offset r + 1); offset
/// 0 is 0.
class LEAT_EXPORT BatchLayout {
 public:
  /// Alignment of each field in bytes, enough for every dtype, for cache lines and for CUDA's allocations.
  static constexpr std::size_t kAlignment = 256;

  /// Makes a layout without fields.
  BatchLayout() = default;
  /// Places the fields of `schema` for up to `capacity` rows. Throws ArgumentError for no rows, or for a size beyond 64
  /// bits.
  BatchLayout(Schema schema, std::size_t capacity);

  const Schema& schema() const noexcept { return schema_; }    ///< the fields
  std::size_t capacity() const noexcept { return capacity_; }  ///< greatest number of rows
  std::size_t bytes() const noexcept { return bytes_; }        ///< size of a slot, a multiple of kAlignment

  /// Returns where a field starts, in bytes from the start of the slot.
  std::size_t offset(std::size_t field) const noexcept { return offsets_[field]; }

  /// Returns a field of fixed shape, of the first `rows` rows of a slot at `base`, in host or device memory. Throws
  /// ArgumentError for a ragged field.
  TensorView view(std::size_t field, std::byte* base, std::size_t rows) const;

  /// Returns the capacity() + 1 row offsets of a ragged field of a slot at `base`. Throws ArgumentError for a field of
  /// fixed shape.
  std::span<std::int64_t> row_offsets(std::size_t field, std::byte* base) const;

  /// Returns all values of a ragged field of a delivered batch of `rows` rows in host memory: [elements, field
  /// shape...].
  TensorView ragged_values(std::size_t field, std::byte* base, std::size_t rows) const;

  /// Returns the addresses of row 0 of each field, then those of the offsets of each ragged field, for SampleWriter.
  std::vector<std::byte*> columns(std::byte* base) const;

  /// A range of a slot's bytes.
  struct Part {
    std::size_t offset = 0;  ///< from the start of the slot
    std::size_t bytes = 0;   ///< its length
  };
  /// Returns the parts of a slot that hold anything except the values of ragged fields.
  std::vector<Part> fixed_parts() const;
  /// Returns the number of addresses that columns() returns.
  std::size_t column_count() const noexcept { return offsets_.size() + row_offsets_.size(); }

 private:
  std::size_t append(std::size_t row_bytes, std::size_t rows);

  Schema schema_;
  std::size_t capacity_ = 0;
  std::size_t bytes_ = 0;
  std::vector<std::size_t> offsets_;
  std::vector<std::size_t> row_offsets_;  // bytes from the slot's start, of each ragged field in turn
};

}  // namespace leat
