// What one sample looks like: named fields of a dtype and a fixed shape.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "loader/base/dtype.h"
#include "loader/base/tensor_view.h"

namespace leat {

struct Field {
  std::string name;
  DType dtype = DType::u8;
  Shape shape;  // of one row; empty for a scalar

  std::size_t row_bytes() const;  // bytes of one sample's value
};

// Immutable; at most kMaxFields fields with distinct, non-empty names, no extent of zero.
class Schema {
 public:
  static constexpr std::size_t kMaxFields = 64;

  Schema() = default;
  explicit Schema(std::vector<Field> fields);  // throws ArgumentError naming the field that breaks a rule

  std::size_t size() const noexcept { return fields_.size(); }
  const Field& operator[](std::size_t field) const { return fields_.at(field); }
  auto begin() const noexcept { return fields_.begin(); }
  auto end() const noexcept { return fields_.end(); }

  // The position of a field; throws ArgumentError that lists the names there are.
  std::size_t index_of(std::string_view name) const;

  std::size_t row_bytes(std::size_t field) const noexcept { return row_bytes_[field]; }

 private:
  std::vector<Field> fields_;
  std::vector<std::size_t> row_bytes_;
};

}  // namespace leat
