#include "leat/transfer/prefetch/device_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"
#include "leat/loader/ragged_view.h"

namespace leat::detail {
namespace {

std::span<const std::byte> bytes_of(const TensorView& view) {
  return {static_cast<const std::byte*>(view.data), view.bytes()};
}

// Returns the offsets of the rows of a ragged field, with that of the end.
std::span<const std::int64_t> offsets_of(const HostBatch& batch, std::size_t field, RowRange rows) {
  return batch.ragged_offsets(field).as<std::int64_t>().subspan(rows.first, rows.size() + 1);
}

std::size_t row_bytes(const DeviceColumn& column) {
  return checked_multiply(element_count(column.shape), size_of(column.dtype));
}

}  // namespace

void BatchPiece::write(std::byte* memory) const {
  if (start == 0) {
    if (!from.empty()) std::memcpy(memory, from.data(), from.size());
    return;
  }
  for (std::size_t at = 0; at < from.size(); at += sizeof(std::int64_t)) {
    std::int64_t offset = 0;
    std::memcpy(&offset, from.data() + at, sizeof offset);
    offset -= start;
    std::memcpy(memory + at, &offset, sizeof offset);
  }
}

DeviceLayout::DeviceLayout(BatchLayout slot, std::string device, const std::vector<HeldField>& held)
    : slot_(std::move(slot)), device_(std::move(device)) {
  std::size_t ragged = 0;
  for (const HeldField& each : held) {
    const Field& field = slot_.schema()[each.field];
    DeviceColumn column{.name = field.name,
                        .dtype = field.dtype,
                        .shape = field.shape,
                        .is_whole = each.is_whole,
                        .rows = each.rows,
                        .is_mapped = each.is_mapped};
    std::size_t& end = each.is_mapped ? mapped_bytes_ : bytes_;
    column.offset = append(end, row_bytes(column), field.is_ragged() ? each.max_elements : each.rows);
    if (field.is_ragged()) {
      const std::size_t offsets = append(bytes_, sizeof(std::int64_t), checked_add(each.rows, 1));
      column.ragged = RaggedColumn{ragged++, offsets, *field.max_length, each.max_elements};
    }
    columns_.push_back(std::move(column));
    fields_.push_back(each.field);
  }
  begins_with_slot_ = ragged == 0 && held.size() == slot_.schema().size() &&
                      std::all_of(held.begin(), held.end(), [&](const HeldField& each) {
                        return each.rows == slot_.capacity() && !each.is_mapped;
                      });
}

std::size_t DeviceLayout::append(std::size_t& end, std::size_t row_bytes, std::size_t rows) {
  const std::size_t start = end;
  end = checked_add(start, align_up(checked_multiply(row_bytes, rows), BatchLayout::kAlignment));
  return start;
}

const DeviceColumn& DeviceLayout::add_result(DeviceColumn column, std::string_view hidden) {
  if (column.name != hidden && has(column.name)) {
    throw ArgumentError(fmt::format("what is made of \"{}\" cannot be called \"{}\": that name is taken",
                                    hidden, column.name));
  }
  if (column.name == hidden && this->column(hidden).is_mapped) {
    throw ArgumentError(fmt::format(
        "field \"{}\" is mapped (PrefetcherOptions::mapped), but a transform would replace it by its "
        "result; give the result a name of its own, or do not map the field",
        hidden));
  }
  const std::size_t elements = column.padded ? column.padded->max_length : 1;
  column.offset = append(bytes_, checked_multiply(row_bytes(column), elements), column.rows);
  return columns_.emplace_back(std::move(column));
}

void DeviceLayout::limit_rows(const DeviceColumn& column, std::size_t longest) {
  for (DeviceColumn& each : columns_) {
    if (&each != &column) continue;
    each.ragged->longest_allowed = std::min(each.ragged->longest_allowed.value_or(longest), longest);
  }
}

const DeviceColumn* DeviceLayout::find(std::string_view name) const noexcept {
  const auto found = std::find_if(columns_.rbegin(), columns_.rend(),
                                  [&](const DeviceColumn& column) { return column.name == name; });
  return found == columns_.rend() ? nullptr : &*found;
}

const DeviceColumn& DeviceLayout::column(std::string_view name) const {
  if (const DeviceColumn* const found = find(name)) return *found;
  std::string names;
  for (const DeviceColumn& each : columns_) {
    if (find(each.name) == &each) names += fmt::format(" \"{}\"", each.name);
  }
  throw ArgumentError(fmt::format("a batch on {} has no \"{}\"; it has:{}", device_, name, names));
}

const DeviceColumn& DeviceLayout::field(std::string_view name) const {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (columns_[i].name == name) return columns_[i];
  }
  return column(name);  // a result, which is no field of pixels, or none
}

const DeviceColumn& DeviceLayout::fixed(std::string_view name) const {
  const DeviceColumn& found = column(name);
  if (found.ragged) {
    throw ArgumentError(fmt::format(
        "field \"{}\" is ragged, so no one shape holds its rows; pad it (FieldPadding), or ask for "
        "ragged_values() and ragged_offsets()",
        name));
  }
  return found;
}

const DeviceColumn& DeviceLayout::ragged(std::string_view name) const {
  const DeviceColumn& found = column(name);
  if (found.padded) {
    throw ArgumentError(
        fmt::format("\"{}\" was padded; to keep the ragged field, too, give FieldPadding an output", name));
  }
  if (!found.ragged) {
    throw ArgumentError(
        fmt::format("\"{}\" has rows of shape {}; it is not ragged", name, to_string(found.shape)));
  }
  return found;
}

DevicePart DeviceLayout::part_of(const HostBatch& batch, RowRange chunk) const {
  DevicePart part{
      .rows = chunk, .batch_rows = batch.size(), .epoch = batch.epoch(), .number = batch.number()};
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (columns_[i].ragged) measure(part, columns_[i], fields_[i], batch);
  }
  return part;
}

void DeviceLayout::measure(DevicePart& part, const DeviceColumn& column, std::size_t field,
                           const HostBatch& batch) const {
  const auto offsets = offsets_of(batch, field, column.rows_of(part));
  const auto elements = static_cast<std::size_t>(offsets.back() - offsets.front());
  if (elements > column.ragged->max_elements) {
    throw ArgumentError(fmt::format(
        "batch {} of epoch {}: the rows of field \"{}\" for {} have {} elements together, but "
        "PrefetcherOptions::ragged_bounds allows {}",
        batch.number(), batch.epoch(), column.name, device_, elements, column.ragged->max_elements));
  }
  const std::size_t longest =
      longest_row(offsets_of(batch, field, {0, batch.size()}));  // same on all devices
  if (longest > column.ragged->longest_allowed.value_or(longest)) {
    throw ArgumentError(fmt::format(
        "batch {} of epoch {}: a row of field \"{}\" for {} has {} elements and cannot be padded to {}",
        batch.number(), batch.epoch(), column.name, device_, longest, *column.ragged->longest_allowed));
  }
  part.elements.push_back(elements);
  part.longest.push_back(longest);
}

std::vector<BatchPiece> DeviceLayout::pieces(const HostBatch& batch, const DevicePart& part) const {
  if (begins_with_slot_) return {{.to = 0, .from = batch.bytes()}};
  std::vector<BatchPiece> pieces;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const DeviceColumn& column = columns_[i];
    if (column.ragged) {
      add_ragged(pieces, column, fields_[i], batch, part);
    } else if (!column.is_mapped) {
      add_fixed(pieces, column, fields_[i], batch, part);
    }
  }
  return pieces;
}

std::vector<BatchPiece> DeviceLayout::mapped_pieces(const HostBatch& batch, const DevicePart& part) const {
  std::vector<BatchPiece> pieces;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (columns_[i].is_mapped) add_fixed(pieces, columns_[i], fields_[i], batch, part);
  }
  return pieces;
}

void DeviceLayout::add_fixed(std::vector<BatchPiece>& pieces, const DeviceColumn& column, std::size_t field,
                             const HostBatch& batch, const DevicePart& part) const {
  const RowRange rows = column.rows_of(part);
  if (rows.size() == 0) return;
  const TensorView view = slot_.view(field, batch.bytes().data(), batch.size());
  pieces.push_back({.to = column.offset, .from = bytes_of(view.rows(rows.first, rows.last))});
}

void DeviceLayout::add_ragged(std::vector<BatchPiece>& pieces, const DeviceColumn& column, std::size_t field,
                              const HostBatch& batch, const DevicePart& part) const {
  const RowRange rows = column.rows_of(part);
  const std::int64_t start = offsets_of(batch, field, rows).front();
  const std::size_t elements = part.elements[column.ragged->number];
  if (elements > 0) {
    const auto first = static_cast<std::size_t>(start);
    pieces.push_back(
        {.to = column.offset, .from = bytes_of(batch.ragged_values(field).rows(first, first + elements))});
  }
  pieces.push_back({.to = column.ragged->row_offsets,
                    .from = bytes_of(batch.ragged_offsets(field).rows(rows.first, rows.last + 1)),
                    .start = start});
}

}  // namespace leat::detail
