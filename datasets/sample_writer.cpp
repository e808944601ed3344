#include "leat/datasets/sample_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "leat/datasets/base/row_memory.h"
#include "leat/datasets/errors.h"

namespace leat {

using namespace detail;

namespace {

bool fits(const Field& field, DType dtype, std::span<const std::size_t> shape) {
  if (field.dtype != dtype) return false;
  if (!field.is_ragged()) return std::ranges::equal(field.shape, shape);
  return !shape.empty() && std::ranges::equal(field.shape, shape.subspan(1));
}

}  // namespace

void SampleWriter::refuse_ragged(std::size_t field) const {
  throw ArgumentError(
      fmt::format("field '{}' is ragged; it is written with ragged() or set_text()", (*schema_)[field].name));
}

void SampleWriter::refuse_fixed(std::size_t field, DType dtype) const {
  (*schema_)[field].require(dtype);
  refuse_ragged(field);
}

void SampleWriter::refuse_scalar(std::size_t field, DType dtype) const {
  if (!schema_->has_fixed(field, dtype)) refuse_fixed(field, dtype);
  const Field& wanted = (*schema_)[field];
  throw ArgumentError(
      fmt::format("field '{}' has shape {}; set() writes scalars", wanted.name, to_string(wanted.shape)));
}

void SampleWriter::require_ragged(std::size_t field) const {
  const Field& wanted = (*schema_)[field];
  if (!wanted.is_ragged()) {
    throw ArgumentError(fmt::format("field '{}' has the fixed shape {}; it is not ragged", wanted.name,
                                    to_string(wanted.shape)));
  }
}

std::span<std::byte> SampleWriter::place(std::size_t field, std::size_t length) {
  const Field& wanted = (*schema_)[field];
  if (length > *wanted.max_length) {
    throw ArgumentError(
        fmt::format("field '{}': the sample's length {} exceeds max_length {}; cut it in get(), or raise the "
                    "field's max_length",
                    wanted.name, length, *wanted.max_length));
  }
  placed_ |= std::uint64_t{1} << field;
  const std::size_t start = row_start(field);
  const std::size_t element = schema_->row_bytes(field) / *wanted.max_length;
  const std::span<std::byte> row{columns_[field] + start * element, length * element};
  take_rows(ragged_memory_, wanted, row);
  row_offsets(field)[row_ + 1] = static_cast<std::int64_t>(start + length);
  return row;
}

std::int64_t* SampleWriter::row_offsets(std::size_t field) const noexcept {
  return reinterpret_cast<std::int64_t*>(ragged_columns_[schema_->ragged_before(field)]);
}

std::size_t SampleWriter::row_start(std::size_t field) const {
  const std::size_t max_length = *(*schema_)[field].max_length;
  if (row_ == first_row_) return first_row_ * max_length;
  const auto start = static_cast<std::size_t>(row_offsets(field)[row_]);
  if (start < first_row_ * max_length || start > row_ * max_length) {
    throw Error(
        fmt::format("field '{}': the row before row {} of its batch says that it ends at element {}, "
                    "outside of their run; it was overwritten, or never written",
                    (*schema_)[field].name, row_, start));
  }
  return start;
}

std::span<std::byte> SampleWriter::ragged_bytes(std::size_t field, std::size_t length) {
  require_ragged(field);
  return place(field, length);
}

std::span<std::byte> SampleWriter::written(std::size_t field) const {
  const Field& wanted = (*schema_)[field];
  if (((wanted.is_ragged() ? placed_ : written_) >> field & 1) == 0) refuse_unwritten(field);
  const std::size_t row = schema_->row_bytes(field);
  if (!wanted.is_ragged()) return {columns_[field] + row_ * row, row};
  const std::size_t start = row_start(field), end = static_cast<std::size_t>(row_offsets(field)[row_ + 1]);
  const std::size_t element = row / *wanted.max_length;
  return {columns_[field] + start * element, (end - start) * element};
}

SampleWriter SampleWriter::part(std::size_t first, const Schema& schema) const noexcept {
  SampleWriter part = *this;
  part.schema_ = &schema;
  part.columns_ = columns_ + first;
  part.ragged_columns_ = ragged_columns_ + schema_->ragged_before(first);
  part.written_ = part.placed_ = 0;
  return part;
}

void SampleWriter::join(std::size_t first, const SampleWriter& part) noexcept {
  written_ |= part.written_ << first;
  placed_ |= part.placed_ << first;
}

void SampleWriter::set_text(std::size_t field, std::string_view text) {
  std::ranges::copy(text, ragged<std::uint8_t>(field, text.size()).begin());
}

void SampleWriter::set_text(std::string_view field, std::string_view text) {
  set_text(schema_->index_of(field), text);
}

void SampleWriter::set_tensor(std::size_t field, DType dtype, const Shape& shape, const void* data) {
  const Field& wanted = (*schema_)[field];
  if (!fits(wanted, dtype, shape)) {
    throw ArgumentError(fmt::format("field '{}' expects {}, but the sample has {} {}", wanted.name,
                                    to_string(wanted), name_of(dtype), to_string(shape)));
  }
  const std::span<std::byte> row = wanted.is_ragged() ? place(field, shape[0]) : bytes(field);
  std::copy_n(static_cast<const std::byte*>(data), row.size(), row.begin());
}

void SampleWriter::set_tensor(std::string_view field, DType dtype, const Shape& shape, const void* data) {
  set_tensor(schema_->index_of(field), dtype, shape, data);
}

void SampleWriter::refuse_unwritten(std::size_t field) const {
  throw ArgumentError(fmt::format("get() did not write field '{}'", (*schema_)[field].name));
}

void SampleWriter::report_incomplete() const {
  for (std::size_t field = 0; field < schema_->size(); ++field) {
    if (((written_ | placed_) >> field & 1) == 0) refuse_unwritten(field);
  }
  throw ArgumentError("get() wrote a part whose fields the schema does not have");
}

}  // namespace leat
