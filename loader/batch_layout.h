// Where the fields of a batch lie in its slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leat/datasets/schema.h"
#include "leat/datasets/tensor_view.h"

namespace leat {

// Fields follow each other in schema order, each starting at a multiple of kAlignment and holding `capacity`
// rows without gaps. A short batch uses the first rows of each field. Immutable.
//
// A ragged field holds two arrays, each aligned: room for the values of `capacity` rows of the greatest
// length, and the row offsets, capacity + 1 of them. How much of the room a batch uses stands in its slot:
// row r of a delivered batch holds elements [offset r, offset r + 1), and offset 0 is 0.
class BatchLayout {
 public:
  static constexpr std::size_t kAlignment =
      256;  // bytes; satisfies every dtype, cache lines and CUDA's allocations

  BatchLayout() = default;
  BatchLayout(Schema schema,
              std::size_t capacity);  // throws ArgumentError for no rows or a size beyond 64 bits

  const Schema& schema() const noexcept { return schema_; }
  std::size_t capacity() const noexcept { return capacity_; }  // rows
  std::size_t bytes() const noexcept { return bytes_; }        // of the whole slot, a multiple of kAlignment

  std::size_t offset(std::size_t field) const noexcept {
    return offsets_[field];
  }  // bytes from the slot's start

  // Field `field`, of fixed shape, of the first `rows` rows of a slot at `base` (host or device memory).
  // Throws ArgumentError for a ragged field, which has no one shape.
  TensorView view(std::size_t field, std::byte* base, std::size_t rows) const;

  // The row offsets of a ragged field of a slot at `base`, capacity() + 1 of them. Throws ArgumentError for a
  // field of fixed shape.
  std::span<std::int64_t> row_offsets(std::size_t field, std::byte* base) const;

  // Of a ragged field of `rows` rows in host memory, delivered: all its values, [elements, field shape...].
  TensorView ragged_values(std::size_t field, std::byte* base, std::size_t rows) const;

  // The addresses of row 0 of each field, and of the offsets of each ragged one, as SampleWriter wants them.
  std::vector<std::byte*> columns(std::byte* base) const;
  struct Part {
    std::size_t offset = 0;  // bytes from the slot's start
    std::size_t bytes = 0;
  };
  // The parts of a slot that hold anything but the values of ragged fields.
  std::vector<Part> fixed_parts() const;
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
