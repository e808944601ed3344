/// \file
/// Writing a sample to its row of a batch, in the memory from which the batch is delivered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "leat/datasets/export.h"
#include "leat/datasets/schema.h"

namespace leat {

namespace detail {
class RowMemory;
}

/// One row of a batch, for Dataset::get() to fill. Valid during one call of get().
///
/// The row holds whatever was there before: a dataset writes every byte of every field. The loader reports fields that
/// were not asked for. Each sample is compared with the schema, never with other samples of its batch; errors name the
/// field, the shape in the schema and that of the sample, and the loader adds the index.
///
/// Fields are named by position or by name. A name that does not exist is an ArgumentError that lists those that do.
class LEAT_EXPORT SampleWriter {
 public:
  // Ragged rows are packed one after the other. The rows of a chunk are written in order, and each leaves its end in
  // the row offsets. So whoever continues a chunk at some row starts where the row before it ended. The first row of
  // a chunk starts where it would if all rows before it had the greatest length, hence chunks cannot overlap.

  /// Writes row `row`; for loaders. `columns[f]` is the address of row 0 of field f; the rows of a field of fixed shape
  /// follow each other without gaps. After the columns of all fields come the row offsets of each ragged field: an
  /// std::int64_t for each row and one more, counted in elements from row 0; row r ends at offset r + 1. `first_row` is
  /// the first row of the chunk that `row` belongs to; the rows between them are written. `ragged_memory` provides the
  /// memory of ragged rows; if it is null, all of it is there.
  SampleWriter(const Schema& schema, std::span<std::byte* const> columns, std::size_t row,
               std::size_t first_row, detail::RowMemory* ragged_memory = nullptr) noexcept
      : schema_(&schema),
        columns_(columns.data()),
        ragged_columns_(columns.data() + schema.size()),
        ragged_memory_(ragged_memory),
        row_(row),
        first_row_(first_row) {}
  /// Writes a row that is a chunk of its own.
  SampleWriter(const Schema& schema, std::span<std::byte* const> columns, std::size_t row) noexcept
      : SampleWriter(schema, columns, row, row) {}

  /// Returns the fields.
  const Schema& schema() const noexcept { return *schema_; }

  // --- Fields of fixed shape

  /// Returns the row's bytes of a field, to be written whole. `field` is a position in the schema. Throws ArgumentError
  /// if there is no such field, or if it is ragged.
  std::span<std::byte> bytes(std::size_t field) {
    if (!schema_->has_fixed(field)) refuse_ragged(field);
    return row_of(field);
  }

  /// Returns the row's elements of a field in row-major order, to be written whole. Throws as bytes(), and if T is not
  /// the field's dtype.
  template <class T>
  std::span<T> values(std::size_t field) {
    if (!schema_->has_fixed(field, dtype_of<T>)) refuse_fixed(field, dtype_of<T>);
    const std::span<std::byte> row = row_of(field);
    return {reinterpret_cast<T*>(row.data()), row.size() / sizeof(T)};
  }
  /// Returns the row's elements of the field of this name.
  template <class T>
  std::span<T> values(std::string_view field) {
    return values<T>(schema_->index_of(field));
  }

  /// Writes a scalar field. Throws ArgumentError if T is not the field's dtype, or the field is no scalar.
  template <class T>
  void set(std::size_t field, T value) {
    if (!schema_->has_scalar(field, dtype_of<T>)) refuse_scalar(field, dtype_of<T>);
    std::memcpy(row_of(field).data(), &value, sizeof value);
  }
  /// Writes the scalar field of this name.
  template <class T>
  void set(std::string_view field, T value) {
    set(schema_->index_of(field), value);
  }

  // --- Ragged fields

  /// Returns room for the `length` elements of this sample, to be written whole; each consists of as many T as the
  /// field's shape has. The last call counts, and what was written up to its length stays. So if the length is not
  /// known beforehand, ask for the greatest, write, and ask for the true one.
  ///
  /// Throws ArgumentError if T is not the field's dtype, the field is not ragged, or `length` exceeds its max_length;
  /// MemoryError if there is no memory for so many.
  template <class T>
  std::span<T> ragged(std::size_t field, std::size_t length) {
    (*schema_)[field].require(dtype_of<T>);
    const std::span<std::byte> row = ragged_bytes(field, length);
    return {reinterpret_cast<T*>(row.data()), row.size() / sizeof(T)};
  }
  /// Returns room in the field of this name.
  template <class T>
  std::span<T> ragged(std::string_view field, std::size_t length) {
    return ragged<T>(schema_->index_of(field), length);
  }

  /// Returns room for `length` elements as bytes, whatever the dtype. Otherwise as ragged().
  std::span<std::byte> ragged_bytes(std::size_t field, std::size_t length);

  /// Writes text or bytes to a ragged u8 field. Throws as ragged().
  void set_text(std::size_t field, std::string_view text);
  /// Writes text or bytes to the field of this name.
  void set_text(std::string_view field, std::string_view text);

  // --- Any field

  /// Copies a dense, row-major array whose dtype and shape are known only at run time; a ragged field takes
  /// [length, shape...]. Throws ArgumentError that names the field and both shapes if they are not those of the schema.
  void set_tensor(std::size_t field, DType dtype, const Shape& shape, const void* data);
  /// Copies a dense, row-major array to the field of this name.
  void set_tensor(std::string_view field, DType dtype, const Shape& shape, const void* data);

  /// Returns the bytes of a field that was asked for already, in place; of a ragged one, up to the length given last.
  /// So a dataset reads what another one has written. Throws ArgumentError if the field was not asked for.
  std::span<std::byte> written(std::size_t field) const;

  // --- Parts

  /// Returns a writer of the fields from `first` on, under the names of `schema`; otherwise its fields are the same as
  /// those here. `first` is below the number of fields, and `schema` must outlive the part. What is written through the
  /// part counts here after join().
  SampleWriter part(std::size_t first, const Schema& schema) const noexcept;
  /// Counts what was written through a part that starts at `first`.
  void join(std::size_t first, const SampleWriter& part) noexcept;

  /// Throws ArgumentError that names a field which was not asked for, if there is one.
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
  detail::RowMemory* ragged_memory_;
  std::size_t row_;
  std::size_t first_row_;
  std::uint64_t written_ = 0;  // bit f: field f was asked for, as one of fixed shape
  std::uint64_t placed_ = 0;   // bit f: the length of ragged field f was given
};

}  // namespace leat
