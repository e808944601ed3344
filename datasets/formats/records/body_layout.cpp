#include "leat/datasets/formats/records/body_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"

namespace leat::detail {

BodyLayout::BodyLayout(const Schema& schema, std::size_t alignment)
    : schema_(schema),
      alignment_(alignment),
      ragged_(static_cast<std::size_t>(std::popcount(schema.ragged_fields()))) {
  std::size_t end = lengths_bytes();
  bool leads = true;
  for (std::size_t field = 0; field < schema_.size(); ++field) {
    if (schema_[field].dtype == DType::boolean) boolean_.push_back(field);
    const std::size_t start = align_up(end, alignment_);
    leads = leads && !schema_[field].is_ragged();
    if (leads) leading_.push_back({start, schema_.row_bytes(field), 1});
    end = checked_add(start, schema_.row_bytes(field));
    if (leads && end > kMaxBytes) {
      throw ArgumentError(fmt::format("a record of {} bytes is too long: the limit is {}", end, kMaxBytes));
    }
  }
  max_bytes_ = std::min(end, kMaxBytes);
}

std::size_t BodyLayout::length_of(std::size_t field, std::size_t bytes) const {
  const Field& wanted = schema_[field];
  const std::size_t element = wanted.element_bytes(), length = bytes / element;
  if (bytes % element != 0 || (!wanted.is_ragged() && length != 1)) {
    throw ArgumentError(fmt::format("field '{}' of {} {}: a value of {} bytes does not fit", wanted.name,
                                    name_of(wanted.dtype), to_string(wanted.shape), bytes));
  }
  if (length > wanted.max_length.value_or(1)) {
    throw ArgumentError(fmt::format("field '{}': the length {} exceeds max_length {}", wanted.name, length,
                                    *wanted.max_length));
  }
  return length;
}

void BodyLayout::check_booleans(std::size_t field, std::span<const std::byte> value) const {
  if (are_booleans(value)) return;
  throw ArgumentError(
      fmt::format("field '{}' holds a byte that is neither 0 nor 1, so no bool", schema_[field].name));
}

void BodyLayout::encode(std::span<const std::vector<std::byte>> values, std::vector<std::byte>& body) const {
  if (values.size() != schema_.size()) {
    throw ArgumentError(fmt::format("a record has {} fields, not {}", schema_.size(), values.size()));
  }
  for (const std::size_t field : boolean_) check_booleans(field, values[field]);
  std::size_t end = lengths_bytes();
  for (const auto& value : values) end = checked_add(align_up(end, alignment_), value.size());
  if (end > kMaxBytes) {
    throw ArgumentError(fmt::format("a record of {} bytes is too long: the limit is {}", end, kMaxBytes));
  }
  body.assign(end, std::byte{0});
  std::size_t at = lengths_bytes(), ragged = 0;
  for (std::size_t field = 0; field < values.size(); ++field) {
    const auto length = static_cast<std::uint32_t>(length_of(field, values[field].size()));
    if (schema_[field].is_ragged()) std::memcpy(&body[sizeof length * ragged++], &length, sizeof length);
    at = align_up(at, alignment_);
    std::ranges::copy(values[field], body.begin() + static_cast<std::ptrdiff_t>(at));
    at += values[field].size();
  }
}

void BodyLayout::find(std::span<const std::byte> lengths, std::size_t bytes,
                      std::span<FieldPlace> places) const {
  if (bytes < lengths_bytes())
    throw Error(fmt::format("its {} bytes do not hold the fields' lengths", bytes));
  std::size_t end = lengths_bytes(), ragged = 0;
  for (std::size_t field = 0; field < schema_.size(); ++field) {
    const Field& wanted = schema_[field];
    FieldPlace& place = places[field];
    place = {align_up(end, alignment_), schema_.row_bytes(field), 1};
    if (wanted.is_ragged()) {
      std::uint32_t length = 0;
      std::memcpy(&length, lengths.subspan(sizeof length * ragged++, sizeof length).data(), sizeof length);
      if (length > *wanted.max_length) {
        throw Error(fmt::format("field '{}': the length {} exceeds max_length {}", wanted.name, length,
                                *wanted.max_length));
      }
      place.length = length;
      place.bytes = length * (place.bytes / *wanted.max_length);
    }
    end = checked_add(place.offset, place.bytes);
    if (end > bytes) {
      throw Error(fmt::format("field '{}' ends at byte {} of a record of {}", wanted.name, end, bytes));
    }
  }
  if (end != bytes) throw Error(fmt::format("its fields have {} bytes, the record {}", end, bytes));
}

}  // namespace leat::detail
