// Where Dataset::get() puts a sample: one row of a batch, in the memory the batch is delivered from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "datasets/schema.h"

namespace leat {

// A view, valid during one get() only. The row holds whatever was there before: a dataset writes every byte
// of every field, and a field it never asked for is reported as an error.
class SampleWriter {
 public:
  // `columns[f]` is the address of row 0 of field f; the rows of a field follow each other without gaps.
  SampleWriter(const Schema& schema, std::span<std::byte* const> columns, std::size_t row) noexcept
      : schema_(&schema), columns_(columns.data()), row_(row) {}

  const Schema& schema() const noexcept { return *schema_; }

  // The row's bytes of one field, to be written whole. `field` is a position in the schema, below its size.
  std::span<std::byte> bytes(std::size_t field) noexcept {
    written_ |= std::uint64_t{1} << field;
    const std::size_t size = schema_->row_bytes(field);
    return {columns_[field] + row_ * size, size};
  }

  // The same as elements, in row-major order. Throws ArgumentError where T is not the field's dtype.
  template <class T>
  std::span<T> values(std::size_t field) {
    require(field, dtype_of<T>);
    const std::span<std::byte> row = bytes(field);
    return {reinterpret_cast<T*>(row.data()), row.size() / sizeof(T)};
  }
  template <class T>
  std::span<T> values(std::string_view field) {
    return values<T>(schema_->index_of(field));
  }

  // Writes a scalar field. Throws ArgumentError where T is not the field's dtype or the field is no scalar.
  template <class T>
  void set(std::size_t field, T value) {
    require_scalar(field, dtype_of<T>);
    std::memcpy(bytes(field).data(), &value, sizeof value);
  }
  template <class T>
  void set(std::string_view field, T value) {
    set(schema_->index_of(field), value);
  }

  // Throws ArgumentError naming a field that get() did not ask for.
  void check_complete() const {
    const std::uint64_t all =
        schema_->size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << schema_->size()) - 1;
    if (written_ != all) report_missing();
  }

 private:
  void require(std::size_t field, DType dtype) const;
  void require_scalar(std::size_t field, DType dtype) const;
  [[noreturn]] void report_missing() const;

  const Schema* schema_;
  std::byte* const* columns_;
  std::size_t row_;
  std::uint64_t written_ = 0;  // bit f: field f was asked for
};

}  // namespace leat
