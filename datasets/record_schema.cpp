#include "leat/datasets/record_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "leat/datasets/errors.h"

namespace leat {

namespace {

bool holds_bytes(const Field& field) {
  return field.dtype == DType::u8 && field.is_ragged() && field.shape.empty();
}

bool holds_pixels(const Field& field) {
  if (field.dtype != DType::u8) return false;
  if (field.is_ragged()) return field.shape == Shape{3};
  return field.shape.size() == 3 && field.shape[2] == 3;
}

bool same_but_length(const Field& a, const Field& b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape && a.is_ragged() == b.is_ragged();
}

}  // namespace

std::string_view name_of(Content content) noexcept {
  switch (content) {
    case Content::values:
      return "values";
    case Content::text:
      return "text";
    case Content::bytes:
      return "bytes";
    case Content::jpeg:
      return "jpeg";
    case Content::rgb:
      return "rgb";
  }
  return "";
}

RecordSchema::RecordSchema(std::vector<RecordField> fields, std::vector<std::string> classes)
    : classes_(std::move(classes)) {
  if (fields.empty()) throw ArgumentError("a record has at least one field");
  std::vector<Field> plain;
  for (RecordField& field : fields) {
    plain.push_back(std::move(field.field));
    contents_.push_back(field.content);
  }
  fields_ = Schema(std::move(plain));
  for (std::size_t field = 0; field < size(); ++field) check(field);
}

void RecordSchema::check(std::size_t field) const {
  const Field& checked = fields_[field];
  const Content content = contents_[field];
  const bool suits = content == Content::values || (content == Content::rgb && holds_pixels(checked)) ||
                     (content != Content::rgb && holds_bytes(checked));
  if (!suits) {
    throw ArgumentError(fmt::format("field '{}' of {} {} cannot hold {}", checked.name,
                                    name_of(checked.dtype), to_string(checked.shape), name_of(content)));
  }
  if (content != Content::rgb || !checked.is_ragged()) return;
  const auto extents = find(checked.name + "_size");
  if (!extents || !fields_.has_fixed(*extents, DType::u32) || fields_[*extents].shape != Shape{2}) {
    throw ArgumentError(
        fmt::format("the ragged pixels '{0}' need a field '{0}_size', u32 [2]: height, width", checked.name));
  }
}

std::optional<std::size_t> RecordSchema::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(fields_, name, &Field::name);
  if (found == fields_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - fields_.begin());
}

std::optional<std::size_t> RecordSchema::find(Content content) const noexcept {
  const auto found = std::ranges::find(contents_, content);
  if (found == contents_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - contents_.begin());
}

std::optional<std::size_t> RecordSchema::find_name() const noexcept {
  const auto field = find("name");
  return field && contents_[*field] == Content::text ? field : std::nullopt;
}

RecordSchema RecordSchema::with_max_lengths(const std::vector<std::size_t>& lengths) const {
  std::vector<RecordField> fields;
  for (std::size_t field = 0; field < size(); ++field) {
    fields.push_back({fields_[field], contents_[field]});
    if (!fields_[field].is_ragged()) continue;
    fields.back().field.max_length = std::max<std::size_t>(1, lengths.at(fields_.ragged_before(field)));
  }
  return RecordSchema(std::move(fields), classes_);
}

bool RecordSchema::matches(const RecordSchema& other) const {
  return contents_ == other.contents_ && classes_ == other.classes_ &&
         std::ranges::equal(fields_, other.fields_, same_but_length);
}

}  // namespace leat
