#include "leat/loader/batch_layout.h"

#include <fmt/format.h>

#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"

namespace leat {

using namespace detail;

namespace {

Shape shape_of(std::size_t count, const Field& field) {
  Shape shape{count};
  shape.insert(shape.end(), field.shape.begin(), field.shape.end());
  return shape;
}

}  // namespace

BatchLayout::BatchLayout(Schema schema, std::size_t capacity)
    : schema_(std::move(schema)), capacity_(capacity) {
  if (capacity == 0) throw ArgumentError("a batch needs at least one row");
  for (std::size_t field = 0; field < schema_.size(); ++field) {
    offsets_.push_back(append(schema_.row_bytes(field), capacity));
    if (schema_[field].is_ragged())
      row_offsets_.push_back(append(sizeof(std::int64_t), checked_add(capacity, 1)));
  }
}

std::size_t BatchLayout::append(std::size_t row_bytes, std::size_t rows) {
  const std::size_t start = bytes_;
  bytes_ = checked_add(start, align_up(checked_multiply(row_bytes, rows), kAlignment));
  return start;
}

TensorView BatchLayout::view(std::size_t field, std::byte* base, std::size_t rows) const {
  const Field& of = schema_[field];
  if (of.is_ragged()) {
    throw ArgumentError(fmt::format(
        "field '{}' is ragged, so no one shape holds its rows; ask for ragged() or padded()", of.name));
  }
  return {base + offsets_[field], of.dtype, shape_of(rows, of)};
}

std::span<std::int64_t> BatchLayout::row_offsets(std::size_t field, std::byte* base) const {
  const Field& of = schema_[field];
  if (!of.is_ragged()) {
    throw ArgumentError(
        fmt::format("field '{}' has the fixed shape {}; it is not ragged", of.name, to_string(of.shape)));
  }
  std::byte* const first = base + row_offsets_[schema_.ragged_before(field)];
  return {reinterpret_cast<std::int64_t*>(first), capacity_ + 1};
}

TensorView BatchLayout::ragged_values(std::size_t field, std::byte* base, std::size_t rows) const {
  const auto elements = static_cast<std::size_t>(row_offsets(field, base)[rows]);
  const Field& of = schema_[field];
  return {base + offsets_[field], of.dtype, shape_of(elements, of)};
}

std::vector<BatchLayout::Part> BatchLayout::fixed_parts() const {
  std::vector<Part> parts;
  for (std::size_t field = 0; field < schema_.size(); ++field) {
    if (!schema_[field].is_ragged()) parts.push_back({offsets_[field], capacity_ * schema_.row_bytes(field)});
  }
  for (const std::size_t offset : row_offsets_) {
    parts.push_back({offset, (capacity_ + 1) * sizeof(std::int64_t)});
  }
  return parts;
}

std::vector<std::byte*> BatchLayout::columns(std::byte* base) const {
  std::vector<std::byte*> columns;
  columns.reserve(offsets_.size() + row_offsets_.size());
  for (const std::size_t offset : offsets_) columns.push_back(base + offset);
  for (const std::size_t offset : row_offsets_) columns.push_back(base + offset);
  return columns;
}

}  // namespace leat
