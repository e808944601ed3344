#include "datasets/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "loader/base/checked.h"
#include "loader/base/errors.h"

namespace leat {

std::size_t Field::row_bytes() const {
  return checked_multiply(element_count(shape), size_of(dtype));
}

Schema::Schema(std::vector<Field> fields) : fields_(std::move(fields)) {
  if (fields_.size() > kMaxFields) {
    throw ArgumentError(fmt::format("a schema holds at most {} fields, not {}", kMaxFields, fields_.size()));
  }
  for (auto field = fields_.begin(); field != fields_.end(); ++field) {
    if (field->name.empty())
      throw ArgumentError(fmt::format("field {} has no name", field - fields_.begin()));
    const auto same_name = [&](const Field& other) { return other.name == field->name; };
    if (std::any_of(fields_.begin(), field, same_name)) {
      throw ArgumentError(fmt::format("two fields are called '{}'", field->name));
    }
    if (field->row_bytes() == 0) {
      throw ArgumentError(
          fmt::format("field '{}' of shape {} holds nothing", field->name, to_string(field->shape)));
    }
    row_bytes_.push_back(field->row_bytes());
  }
}

std::size_t Schema::index_of(std::string_view name) const {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].name == name) return i;
  }
  std::string known;
  for (const Field& field : fields_) known += (known.empty() ? "" : ", ") + field.name;
  throw ArgumentError(fmt::format("there is no field '{}' (there are: {})", name, known));
}

}  // namespace leat
