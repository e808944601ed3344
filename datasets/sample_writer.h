/// \file
/// Write access to a sample's row of a batch, in the memory from which the batch is delivered.
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

/// One row of a batch, which Dataset::get() fills. Valid during one call of get().
///
/// The row initially holds arbitrary bytes, so a dataset must write every byte of every field. The loader reports
/// fields that were not requested. Each sample is compared with the schema, never with other samples of its batch.
/// Errors name the field, the shape in the schema and the shape of the sample, and the loader adds the index.
///
/// Fields are identified by position or by name. A name that does not exist is an ArgumentError that lists all names.
class LEAT_EXPORT SampleWriter {
 public:
  // Ragged rows are packed one after the other. The rows of a chunk are written in order, and each stores its end in
  // the row offsets. A worker that continues a chunk at some row therefore starts at the end of the row before. The
  // first row of a chunk starts where it would start if all rows before it had the maximum length. Hence chunks
  // cannot overlap.

  /// Writes row `row`. For loaders. `columns[f]` is the address of row 0 of field f; the rows of a field of fixed
  /// shape are contiguous. After the columns of all fields come the row offsets of each ragged field: one
  /// std::int64_t more than there are rows, counted in elements from row 0; row r ends at offset r + 1. `first_row`
  /// is the first row of the chunk that `row` belongs to; the rows between them must be written already.
  /// `ragged_memory` provides the memory of ragged rows; if it is null, all of that memory exists already.
  SampleWriter(const Schema& schema, std::span<std::byte* const> columns, std::size_t row,
               std::size_t first_row, detail::RowMemory* ragged_memory = nullptr) noexcept
      : schema_(&schema),
        columns_(columns.data()),
        ragged_columns_(columns.data() + schema.size()),
        ragged_memory_(ragged_memory),
        row_(row),
        first_row_(first_row) {}
  /// Writes a row that forms a chunk of its own.
  SampleWriter(const Schema& schema, std::span<std::byte* const> columns, std::size_t row) noexcept
      : SampleWriter(schema, columns, row, row) {}

  /// Returns the fields.
  const Schema& schema() const noexcept { return *schema_; }

  // --- Fields of fixed shape

  /// Returns the row's bytes of a field. All of them must be written. `field` is a position in the schema. Throws
  /// ArgumentError if there is no such field, or if it is ragged.
  std::span<std::byte> bytes(std::size_t field) {
    if (!schema_->has_fixed(field)) refuse_ragged(field);
    return row_of(field);
  }

  /// Returns the row's elements of a field in row-major order. All of them must be written. Throws like bytes(), and
  /// if T is not the field's dtype.
  template <class T>
  std::span<T> values(std::size_t field) {
    if (!schema_->has_fixed(field, dtype_of<T>)) refuse_fixed(field, dtype_of<T>);
    const std::span<std::byte> row = row_of(field);
    return {reinterpret_cast<T*>(row.data()), row.size() / sizeof(T)};
  }
  /// Returns the row's elements of the field with this name.
  template <class T>
  std::span<T> values(std::string_view field) {
    return values<T>(schema_->index_of(field));
  }

  /// Writes a scalar field. Throws ArgumentError if T is not the field's dtype, or if the field is not a scalar.
  template <class T>
  void set(std::size_t field, T value) {
    if (!schema_->has_scalar(field, dtype_of<T>)) refuse_scalar(field, dtype_of<T>);
    std::memcpy(row_of(field).data(), &value, sizeof value);
  }
  /// Writes the scalar field with this name.
  template <class T>
  void set(std::string_view field, T value) {
    set(schema_->index_of(field), value);
  }

  // --- Ragged fields

  /// Returns memory for the `length` elements of this sample. All of it must be written. Each element consists of as
  /// many T as the field's shape has. The last call determines the length, and what was written before stays, up to
  /// that length. If the length is not known in advance, request `max_length` first, write, and then request the
  /// actual length.
  ///
  /// Throws ArgumentError if T is not the field's dtype, the field is not ragged, or `length` exceeds its max_length.
  /// Throws MemoryError if there is not enough memory.
  template <class T>
  std::span<T> ragged(std::size_t field, std::size_t length) {
    (*schema_)[field].require(dtype_of<T>);
    const std::span<std::byte> row = ragged_bytes(field, length);
    return {reinterpret_cast<T*>(row.data()), row.size() / sizeof(T)};
  }
  /// Returns memory for the field with this name.
  template <class T>
  std::span<T> ragged(std::string_view field, std::size_t length) {
    return ragged<T>(schema_->index_of(field), length);
  }

  /// Returns memory for `length` elements as bytes, for any dtype. Otherwise like ragged().
  std::span<std::byte> ragged_bytes(std::size_t field, std::size_t length);

  /// Writes text or bytes to a ragged u8 field. Throws like ragged().
  void set_text(std::size_t field, std::string_view text);
  /// Writes text or bytes to the field with this name.
  void set_text(std::string_view field, std::string_view text);

  // --- Any field

  /// Copies a contiguous, row-major array whose dtype and shape are known only at run time. For a ragged field the
  /// shape is [length, shape...]. Throws ArgumentError that names the field and both shapes if they do not fit the
  /// schema.
  void set_tensor(std::size_t field, DType dtype, const Shape& shape, const void* data);
  /// Copies a contiguous, row-major array to the field with this name.
  void set_tensor(std::string_view field, DType dtype, const Shape& shape, const void* data);

  /// Returns the bytes of a field that was already requested, in place; for a ragged field, up to the length given
  /// last. This lets a dataset read what another dataset has written. Throws ArgumentError if the field was not
  /// requested.
  std::span<std::byte> written(std::size_t field) const;

  // --- Parts

  /// Returns a writer for the fields from `first` on, which have the names in `schema` there; otherwise the fields
  /// must be the same. `first` must be below the number of fields, and `schema` must outlive the part. Fields that
  /// are written through the part count as written here after join().
  SampleWriter part(std::size_t first, const Schema& schema) const noexcept;
  /// Takes over what was written through a part that starts at `first`.
  void join(std::size_t first, const SampleWriter& part) noexcept;

  /// Throws ArgumentError that names a field which was not requested, if there is one.
  void check_complete() const {
    if (written_ != schema_->fixed_fields() || placed_ != schema_->ragged_fields()) report_incomplete();
  }

 private:
  std::span<std::byte> row_of(std::size_t field) noexcept {  // for fields of fixed shape
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
  std::byte* const* ragged_columns_;  // columns of row offsets
  detail::RowMemory* ragged_memory_;
  std::size_t row_;
  std::size_t first_row_;
  std::uint64_t written_ = 0;  // bit f: field f, of fixed shape, was requested
  std::uint64_t placed_ = 0;   // bit f: the length of ragged field f was set
};

}  // namespace leat
