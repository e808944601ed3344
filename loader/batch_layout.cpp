#include "loader/batch_layout.h"

#include <utility>

#include "loader/base/checked.h"
#include "loader/base/errors.h"

namespace leat {

BatchLayout::BatchLayout(Schema schema, std::size_t capacity)
    : schema_(std::move(schema)), capacity_(capacity) {
  if (capacity == 0) throw ArgumentError("a batch needs at least one row");
  for (std::size_t field = 0; field < schema_.size(); ++field) {
    offsets_.push_back(bytes_);
    const std::size_t column = checked_multiply(schema_.row_bytes(field), capacity);
    bytes_ = checked_add(bytes_, align_up(column, kAlignment));
  }
}

TensorView BatchLayout::view(std::size_t field, std::byte* base, std::size_t rows) const {
  const Field& of = schema_[field];
  Shape shape{rows};
  shape.insert(shape.end(), of.shape.begin(), of.shape.end());
  return {base + offsets_[field], of.dtype, std::move(shape)};
}

std::vector<std::byte*> BatchLayout::columns(std::byte* base) const {
  std::vector<std::byte*> columns;
  columns.reserve(offsets_.size());
  for (const std::size_t offset : offsets_) columns.push_back(base + offset);
  return columns;
}

}  // namespace leat
