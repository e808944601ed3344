#include "leat/transfer/prefetch/device_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "leat/datasets/base/checked.h"

namespace leat::detail {
namespace {

PixelShape pixels_of(const Field& field) {
  if (field.is_ragged() || field.dtype != DType::u8 || field.shape.size() != 3) {
    throw ArgumentError(
        fmt::format("field \"{}\" is {}; only u8 pixels of shape [height, width, channels] can be normalized",
                    field.name, to_string(field)));
  }
  return {1, field.shape[0], field.shape[1], field.shape[2]};
}

Shape shape_of(const PixelShape& pixels, PixelLayout layout, std::size_t rows) {
  if (layout == PixelLayout::nhwc) return {rows, pixels.h, pixels.w, pixels.c};
  return {rows, pixels.c, pixels.h, pixels.w};
}

Shape with_first(std::size_t count, const Shape& rest) {
  Shape shape{count};
  shape.insert(shape.end(), rest.begin(), rest.end());
  return shape;
}

RowRange rows_of(const HeldField& held, const DevicePart& part) {
  return held.is_whole ? RowRange{0, part.batch_rows} : part.rows;
}

std::span<const std::byte> bytes_of(const TensorView& view) {
  return {static_cast<const std::byte*>(view.data), view.bytes()};
}

// Returns the row offsets of a ragged field at the ends of `rows`: the elements that the rows hold.
std::pair<std::int64_t, std::int64_t> elements_of(const HostBatch& batch, std::size_t field, RowRange rows) {
  const auto offsets = batch.ragged_offsets(field).as<std::int64_t>();
  return {offsets[rows.first], offsets[rows.last]};
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

DeviceLayout::DeviceLayout(BatchLayout slot, std::string device, const std::vector<HeldField>& held,
                           const std::vector<FieldNormalization>& normalize)
    : slot_(std::move(slot)), device_(std::move(device)) {
  for (const HeldField& field : held) {
    const Field& of = slot_.schema()[field.field];
    Place place{.held = field, .ragged = ragged_};
    place.offset = append(of.element_bytes(), of.is_ragged() ? field.max_elements : field.rows);
    if (of.is_ragged()) {
      place.row_offsets = append(sizeof(std::int64_t), checked_add(field.rows, 1));
      ++ragged_;
    }
    places_.push_back(place);
  }
  begins_with_slot_ = ragged_ == 0 && held.size() == slot_.schema().size() &&
                      std::all_of(held.begin(), held.end(),
                                  [&](const HeldField& field) { return field.rows == slot_.capacity(); });
  for (const FieldNormalization& wanted : normalize) add(wanted);
}

std::size_t DeviceLayout::append(std::size_t row_bytes, std::size_t rows) {
  const std::size_t start = bytes_;
  bytes_ = checked_add(start, align_up(checked_multiply(row_bytes, rows), BatchLayout::kAlignment));
  return start;
}

void DeviceLayout::add(const FieldNormalization& wanted) {
  Output output;
  output.name = wanted.output.empty() ? wanted.field : wanted.output;
  output.from = place_of(wanted.field);
  output.shape = pixels_of(field_of(output.from));
  output.how = wanted.how;
  output.how.check(output.shape);
  check_name(output.name, wanted.field);
  const std::size_t row = checked_multiply(output.shape.count(), size_of(output.how.dtype));
  output.offset = append(row, output.from.held.rows);
  outputs_.push_back(std::move(output));
}

void DeviceLayout::check_name(const std::string& name, const std::string& field) const {
  const bool is_output =
      std::any_of(outputs_.begin(), outputs_.end(), [&](const Output& o) { return o.name == name; });
  if (is_output || (name != field && holds(name))) {
    throw ArgumentError(fmt::format(
        "the normalized form of field \"{}\" cannot be called \"{}\": that name is taken", field, name));
  }
}

bool DeviceLayout::holds(std::string_view name) const noexcept {
  return find(name) != nullptr;
}

const DeviceLayout::Place* DeviceLayout::find(std::string_view name) const noexcept {
  const auto found = std::find_if(places_.begin(), places_.end(),
                                  [&](const Place& place) { return field_of(place).name == name; });
  return found == places_.end() ? nullptr : &*found;
}

const DeviceLayout::Place& DeviceLayout::place_of(std::string_view name) const {
  if (const Place* const place = find(name)) return *place;
  std::string names;
  for (const Place& place : places_) names += fmt::format(" \"{}\"", field_of(place).name);
  for (const Output& output : outputs_) names += fmt::format(" \"{}\"", output.name);
  throw ArgumentError(fmt::format("a batch on {} has no \"{}\"; it has:{}", device_, name, names));
}

const DeviceLayout::Place& DeviceLayout::ragged_place_of(std::string_view name) const {
  const Place& place = place_of(name);
  if (!field_of(place).is_ragged()) {
    throw ArgumentError(fmt::format("field \"{}\" has the fixed shape {}; it is not ragged", name,
                                    to_string(field_of(place).shape)));
  }
  return place;
}

DevicePart DeviceLayout::part_of(const HostBatch& batch, RowRange chunk) const {
  DevicePart part{.rows = chunk, .batch_rows = batch.size()};
  for (const Place& place : places_) {
    const Field& field = field_of(place);
    if (!field.is_ragged()) continue;
    const auto [first, last] = elements_of(batch, place.held.field, rows_of(place.held, part));
    const auto elements = static_cast<std::size_t>(last - first);
    if (elements > place.held.max_elements) {
      throw ArgumentError(
          fmt::format("batch {} of epoch {}: the rows of field \"{}\" for {} have {} elements together, but "
                      "PrefetcherOptions::ragged_bounds allows {}",
                      batch.number(), batch.epoch(), field.name, device_, elements, place.held.max_elements));
    }
    part.elements.push_back(elements);
  }
  return part;
}

std::vector<BatchPiece> DeviceLayout::pieces(const HostBatch& batch, const DevicePart& part) const {
  if (begins_with_slot_) return {{.to = 0, .from = batch.bytes()}};
  std::vector<BatchPiece> pieces;
  for (const Place& place : places_) {
    const RowRange rows = rows_of(place.held, part);
    if (rows.size() == 0) continue;
    if (field_of(place).is_ragged()) {
      add_ragged(pieces, place, batch, part);
    } else {
      const TensorView view = slot_.view(place.held.field, batch.bytes().data(), batch.size());
      pieces.push_back({.to = place.offset, .from = bytes_of(view.rows(rows.first, rows.last))});
    }
  }
  return pieces;
}

void DeviceLayout::add_ragged(std::vector<BatchPiece>& pieces, const Place& place, const HostBatch& batch,
                              const DevicePart& part) const {
  const RowRange rows = rows_of(place.held, part);
  const std::size_t elements = part.elements[place.ragged];
  const auto first = static_cast<std::size_t>(elements_of(batch, place.held.field, rows).first);
  const TensorView values = batch.ragged_values(place.held.field);
  const TensorView offsets = batch.ragged_offsets(place.held.field);
  if (elements > 0) {
    pieces.push_back({.to = place.offset, .from = bytes_of(values.rows(first, first + elements))});
  }
  pieces.push_back({.to = place.row_offsets,
                    .from = bytes_of(offsets.rows(rows.first, rows.last + 1)),
                    .start = static_cast<std::int64_t>(first)});
}

TensorView DeviceLayout::view(std::string_view name, std::byte* base, const DevicePart& part) const {
  for (const Output& output : outputs_) {
    if (output.name != name) continue;
    const std::size_t rows = rows_of(output.from.held, part).size();
    return {base + output.offset, output.how.dtype, shape_of(output.shape, output.how.layout, rows)};
  }
  const Place& place = place_of(name);
  const Field& field = field_of(place);
  if (field.is_ragged()) {
    throw ArgumentError(
        fmt::format("field \"{}\" is ragged, so no one shape holds its rows; ask for ragged_values() and "
                    "ragged_offsets()",
                    name));
  }
  return {base + place.offset, field.dtype, with_first(rows_of(place.held, part).size(), field.shape)};
}

TensorView DeviceLayout::ragged_values(std::string_view name, std::byte* base, const DevicePart& part) const {
  const Place& place = ragged_place_of(name);
  const Field& field = field_of(place);
  return {base + place.offset, field.dtype, with_first(part.elements[place.ragged], field.shape)};
}

TensorView DeviceLayout::ragged_offsets(std::string_view name, std::byte* base,
                                        const DevicePart& part) const {
  const Place& place = ragged_place_of(name);
  return {base + place.row_offsets, DType::i64, {rows_of(place.held, part).size() + 1}};
}

void DeviceLayout::normalize(std::byte* base, const DevicePart& part, StreamRef stream) const {
  for (const Output& output : outputs_) {
    PixelShape shape = output.shape;
    shape.n = rows_of(output.from.held, part).size();
    const auto* from = reinterpret_cast<const std::uint8_t*>(base + output.from.offset);
    stream.device().normalize(base + output.offset, from, shape, output.how, stream);
  }
}

}  // namespace leat::detail
