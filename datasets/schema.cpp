#include "leat/datasets/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"

namespace leat {

using namespace detail;

namespace {

bool is_below(std::string_view name, std::string_view group) {
  return name.size() > group.size() && name[group.size()] == '.' && name.starts_with(group);
}

bool has_empty_part(std::string_view name) {
  return name.starts_with('.') || name.ends_with('.') || name.find("..") != std::string_view::npos;
}

void check_names(const Field& field, const Field& other) {
  if (field.name == other.name) {
    throw ArgumentError(fmt::format("two fields are called '{}'", field.name));
  }
  const bool below = is_below(field.name, other.name);
  if (below || is_below(other.name, field.name)) {
    throw ArgumentError(fmt::format("'{}' cannot be a field and the group of '{}' at once",
                                    (below ? other : field).name, (below ? field : other).name));
  }
}

void check_extents(const Field& field) {
  if (field.is_ragged() && *field.max_length == 0) {
    throw ArgumentError(
        fmt::format("the ragged field '{}' has max_length 0; it is the most that a sample may hold, and what "
                    "memory is taken for",
                    field.name));
  }
  if (field.row_bytes() == 0) {
    throw ArgumentError(
        fmt::format("field '{}' of shape {} holds nothing", field.name, to_string(field.shape)));
  }
}

std::string names_of(const std::vector<Field>& fields) {
  std::string names;
  for (const Field& field : fields) names += (names.empty() ? "" : ", ") + field.name;
  return names;
}

}  // namespace

Field Field::ragged(std::string name, DType dtype, RaggedRows rows) {
  return {std::move(name), dtype, std::move(rows.element), rows.max_length};
}

Field Field::text(std::string name, std::size_t max_bytes) {
  return {std::move(name), DType::u8, {}, max_bytes};
}

std::size_t Field::element_bytes() const {
  return checked_multiply(element_count(shape), size_of(dtype));
}

std::size_t Field::row_bytes() const {
  return checked_multiply(element_bytes(), max_length.value_or(1));
}

void Field::require(DType wanted) const {
  if (dtype != wanted) {
    throw ArgumentError(fmt::format("field '{}' holds {}, not {}", name, name_of(dtype), name_of(wanted)));
  }
}

std::string to_string(const Field& field) {
  if (!field.is_ragged()) return fmt::format("{} {}", name_of(field.dtype), to_string(field.shape));
  std::string element;
  for (const std::size_t extent : field.shape) element += fmt::format(", {}", extent);
  return fmt::format("{} [0 to {}{}]", name_of(field.dtype), *field.max_length, element);
}

Schema::Schema(std::vector<Field> fields) : fields_(std::move(fields)) {
  if (fields_.size() > kMaxFields) {
    throw ArgumentError(fmt::format("a schema holds at most {} fields, not {}", kMaxFields, fields_.size()));
  }
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    check(field);
    row_bytes_.push_back(fields_[field].row_bytes());
    (fields_[field].is_ragged() ? ragged_fields_ : fixed_fields_) |= std::uint64_t{1} << field;
  }
}

void Schema::check(std::size_t field) const {
  const Field& checked = fields_[field];
  if (checked.name.empty()) throw ArgumentError(fmt::format("field {} has no name", field));
  if (has_empty_part(checked.name)) {
    throw ArgumentError(
        fmt::format("field {} is called '{}', which has an empty part beside a dot", field, checked.name));
  }
  for (std::size_t before = 0; before < field; ++before) check_names(checked, fields_[before]);
  check_extents(checked);
}

void Schema::refuse(std::size_t field) const {
  throw ArgumentError(fmt::format("there is no field {}; the schema has {} (from 0 on: {})", field,
                                  fields_.size(), names_of(fields_)));
}

std::size_t Schema::index_of(std::string_view name) const {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].name == name) return i;
  }
  throw ArgumentError(fmt::format("there is no field '{}' (there are: {})", name, names_of(fields_)));
}

std::vector<Schema::Member> Schema::group(std::string_view prefix) const {
  std::vector<Member> members;
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    const std::string_view name = fields_[field].name;
    if (is_below(name, prefix)) members.push_back({name.substr(prefix.size() + 1), field});
  }
  if (!members.empty()) return members;
  throw ArgumentError(
      fmt::format("there is no group '{}' of fields (there are: {})", prefix, names_of(fields_)));
}

}  // namespace leat
