// Where Dataset::get() puts a sample: one row of a batch, in the memory the batch is delivered from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "leat/datasets/row_memory.h"
#include "leat/datasets/schema.h"

namespace leat {

// A view, valid during one get() only. The row holds whatever was there before: a dataset writes every byte
// of every field, and a field it never asked for is reported as an error.
//
// The schema says what every sample must be, before the first is read; so an error names the field, the
// schema's shape and the sample's, and the loader adds the one index there is: no sample is ever compared
// with another one of its batch.
//
// Ragged rows are packed one after the other. The rows of a run are written in order, and each leaves in
// `row_offsets` where it ends, so a run that is taken up again at some row goes on where the row before it
// ended, whoever wrote that one. A run's first row starts where it would if all rows before it had the
// greatest length, hence no run can reach into another.
class SampleWriter {
 public:
  // `columns[f]` is the address of row 0 of field f; the rows of a fixed field follow each other without
  // gaps. Behind the columns of all fields come the row offsets of each ragged one, an std::int64_t for each
  // row and one more, counted in elements from row 0: row r ends at offset r + 1.
  // `first_row` is the first of the run that `row` belongs to; the rows between them are written.
  // `ragged_memory` gives the memory of ragged rows; null: it is there.
  SampleWriter(const Schema& schema, std::span<std::byte* const> columns, std::size_t row,
               std::size_t first_row, RowMemory* ragged_memory = nullptr) noexcept
      : schema_(&schema),
        columns_(columns.data()),
        ragged_columns_(columns.data() + schema.size()),
        ragged_memory_(ragged_memory),
        row_(row),
        first_row_(first_row) {}
  // A row that is a run of its own.
  SampleWriter(const Schema& schema, std::span<std::byte* const> columns, std::size_t row) noexcept
      : SampleWriter(schema, columns, row, row) {}

  const Schema& schema() const noexcept { return *schema_; }

  // --- Fields of fixed shape

  /// The row's bytes of one field, to be written whole. `field` is a position in the schema. Throws ArgumentError if there
  /// is no such field, or if it is ragged.
  std::span<std::byte> bytes(std::size_t field) {
    if (!schema_->has_fixed(field)) refuse_ragged(field);
    return row_of(field);
  }

  // The same as elements, in row-major order. Throws ArgumentError where T is not the field's dtype.
  template <class T>
  std::span<T> values(std::size_t field) {
    if (!schema_->has_fixed(field, dtype_of<T>)) refuse_fixed(field, dtype_of<T>);
    const std::span<std::byte> row = row_of(field);
    return {reinterpret_cast<T*>(row.data()), row.size() / sizeof(T)};
  }
  template <class T>
  std::span<T> values(std::string_view field) {
    return values<T>(schema_->index_of(field));
  }

  // Writes a scalar field. Throws ArgumentError where T is not the field's dtype or the field is no scalar.
  template <class T>
  void set(std::size_t field, T value) {
    if (!schema_->has_scalar(field, dtype_of<T>)) refuse_scalar(field, dtype_of<T>);
    std::memcpy(row_of(field).data(), &value, sizeof value);
  }
  template <class T>
  void set(std::string_view field, T value) {
    set(schema_->index_of(field), value);
  }

  // --- Ragged fields

  // Room for this sample's `length` elements, to be written whole; each is as many T as the field's shape
  // has. May be called again with another length: the last one counts, and what was written up to it stays.
  // So a length that is not known beforehand is had by asking for the greatest, then for the true one.
  // Throws ArgumentError where T is not the field's dtype, where the field is not ragged, and where `length`
  // exceeds its max_length, and MemoryError where there is no memory for so many.
  template <class T>
  std::span<T> ragged(std::size_t field, std::size_t length) {
    (*schema_)[field].require(dtype_of<T>);
    const std::span<std::byte> row = ragged_bytes(field, length);
    return {reinterpret_cast<T*>(row.data()), row.size() / sizeof(T)};
  }
  template <class T>
  std::span<T> ragged(std::string_view field, std::size_t length) {
    return ragged<T>(schema_->index_of(field), length);
  }

  // The same as bytes, whatever the dtype.
  std::span<std::byte> ragged_bytes(std::size_t field, std::size_t length);

  // Writes text or bytes to a ragged u8 field. Throws like ragged().
  void set_text(std::size_t field, std::string_view text);
  void set_text(std::string_view field, std::string_view text);

  // --- Any field

  // Writes a dense, row-major array whose dtype and shape are known at run time only. Throws ArgumentError
  // that names the field and both shapes where they are not what the schema says; a ragged field takes
  // [length, shape...].
  void set_tensor(std::size_t field, DType dtype, const Shape& shape, const void* data);
  void set_tensor(std::string_view field, DType dtype, const Shape& shape, const void* data);

  // The row's bytes of a field that was asked for already, in place: what a dataset wrote, for the one that calls it.
  // A ragged field has them up to the length given last. Throws ArgumentError where the field was not asked for.
  std::span<std::byte> written(std::size_t field) const;

  // --- Parts

  // Writes the fields from `first` on under the names of `schema`, whose fields are otherwise the same as as many of
  // this one's. `first` is below the number of fields; `schema` outlives the part. What is written through the part
  // counts here once it is joined.
  SampleWriter part(std::size_t first, const Schema& schema) const noexcept;
  void join(std::size_t first, const SampleWriter& part) noexcept;

  // Throws ArgumentError naming a field that get() did not ask for.
  void check_complete() const {
    if (written_ != schema_->fixed_fields() || placed_ != schema_->ragged_fields()) report_incomplete();
  }

 private:
  std::span<std::byte> row_of(std::size_t field) noexcept {  // of fixed shape
    written_ |= std::uint64_t{1} << field;
    const std::size_t size = schema_->row_bytes(field);
    return {columns_[field] + row_ * size, size};
  }
  [[noreturn]] void refuse_ragged(std::size_t field) const;
  [[noreturn]] void refuse_fixed(std::size_t field, DType dtype) const;
  [[noreturn]] void refuse_scalar(std::size_t field, DType dtype) const;
  [[noreturn]] void refuse_unwritten(std::size_t field) const;
  void require_ragged(std::size_t field) const;
  std::span<std::byte> place(std::size_t field, std::size_t length);
  std::int64_t* row_offsets(std::size_t field) const noexcept;
  std::size_t row_start(std::size_t field) const;  // in elements
  [[noreturn]] void report_incomplete() const;

  const Schema* schema_;
  std::byte* const* columns_;
  std::byte* const* ragged_columns_;  // of row offsets
  RowMemory* ragged_memory_;
  std::size_t row_;
  std::size_t first_row_;
  std::uint64_t written_ = 0;  // bit f: field f was asked for, as one of fixed shape
  std::uint64_t placed_ = 0;   // bit f: the length of ragged field f was given
};

}  // namespace leat
