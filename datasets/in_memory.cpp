#include "leat/datasets/in_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "leat/datasets/errors.h"

namespace leat {

namespace {

Schema schema_of(const std::vector<InMemoryDataset::Column>& columns) {
  std::vector<Field> fields;
  fields.reserve(columns.size());
  for (const auto& column : columns) fields.push_back(column.field);
  return Schema(std::move(fields));
}

std::size_t rows_of(const InMemoryDataset::Column& column) {
  if (column.field.is_ragged()) {
    throw ArgumentError(fmt::format("field '{}' is ragged; a dataset in memory holds fields of fixed shape",
                                    column.field.name));
  }
  const std::size_t row = column.field.row_bytes(), bytes = column.data.size();
  if (bytes % row != 0) {
    throw ArgumentError(
        fmt::format("field '{}': {} bytes are no whole number of rows of {}", column.field.name, bytes, row));
  }
  return bytes / row;
}

// Copying a row waits for its first cache lines; after them the processor detects the pattern by itself. For rows of
// 3 KiB, of 1 to 48 lines 8 gave the fastest random gather (1.35 times as fast as without prefetching).
constexpr std::size_t kLine = 64, kLinesAhead = 8;

}  // namespace

InMemoryDataset::InMemoryDataset(std::vector<Column> columns) : schema_(schema_of(columns)) {
  if (columns.empty()) throw ArgumentError("a dataset in memory needs at least one field");
  rows_ = rows_of(columns.front());
  for (Column& column : columns) {
    const std::size_t rows = rows_of(column);
    if (rows != rows_) {
      throw ArgumentError(fmt::format("field '{}' has {} rows, but field '{}' has {}", column.field.name,
                                      rows, schema_[0].name, rows_));
    }
    columns_.push_back(std::move(column.data));
  }
}

void InMemoryDataset::get(std::size_t index, Rng&, SampleWriter& out) const {
  if (index >= rows_) throw ArgumentError(fmt::format("there is no sample {}: there are {}", index, rows_));
  for (std::size_t field = 0; field < columns_.size(); ++field) {
    const std::span<std::byte> row = out.bytes(field);
    std::memcpy(row.data(), columns_[field].data() + index * row.size(), row.size());
  }
}

void InMemoryDataset::prefetch(std::size_t index) const noexcept {
  for (std::size_t field = 0; field < columns_.size(); ++field) {
    const std::size_t bytes = schema_.row_bytes(field);
    const std::byte* const row = columns_[field].data() + index * bytes;
    const std::size_t ahead = std::min(bytes, kLinesAhead * kLine);
    for (std::size_t offset = 0; offset < ahead; offset += kLine) __builtin_prefetch(row + offset);
  }
}

}  // namespace leat
