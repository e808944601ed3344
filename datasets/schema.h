// What one sample looks like: named fields of a dtype, each of a fixed shape or ragged.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leat/datasets/dtype.h"
#include "leat/datasets/tensor_view.h"

namespace leat {

// What a ragged field says about its rows. The bound is required, since it is what a batch has addresses for:
// batch size * max_length elements. Memory is taken for what is written.
struct RaggedRows {
  std::size_t max_length = 0;
  Shape element{};  // what `length` counts; empty: scalars
};

// A field of fixed shape has rows of `shape`. A ragged field has rows of [length, shape...], where each
// sample states a length from 0 to max_length of its own: tokens, boxes, points. Text and bytes are ragged
// u8.
struct Field {
  std::string name;
  DType dtype = DType::u8;
  Shape shape;  // of one row, or of one element of a ragged row; empty for a scalar
  std::optional<std::size_t> max_length{};  // given: the field is ragged

  // Field::ragged("boxes", DType::f32, {.max_length = 100, .element = {4}})
  static Field ragged(std::string name, DType dtype, RaggedRows rows);
  static Field text(std::string name, std::size_t max_bytes);

  bool is_ragged() const noexcept { return max_length.has_value(); }
  std::size_t element_bytes() const;  // of what `shape` describes
  std::size_t row_bytes() const;      // of one sample's value, the longest there may be

  // Throws ArgumentError naming the field where it holds another dtype.
  void require(DType wanted) const;

  bool operator==(const Field&) const = default;
};

// What a field holds: "u8 [224, 224, 3]", or "i32 [0 to 4096]" where it is ragged.
std::string to_string(const Field& field);

// Immutable; at most kMaxFields fields with distinct names, no extent and no max_length of zero. Dots in a
// name nest it: "image.pixels" and "image.size" form the group "image". No part between dots is empty, and no
// name is a field and a group at once.
class Schema {
 public:
  static constexpr std::size_t kMaxFields = 64;

  // A field of a group, with its name below it: "pixels" of "image.pixels".
  struct Member {
    std::string_view name;
    std::size_t field;
  };

  Schema() = default;
  explicit Schema(std::vector<Field> fields);  // throws ArgumentError naming the field that breaks a rule

  std::size_t size() const noexcept { return fields_.size(); }
  /// Throws ArgumentError if there is no such field.
  const Field& operator[](std::size_t field) const {
    if (field >= fields_.size()) refuse(field);
    return fields_[field];
  }
  auto begin() const noexcept { return fields_.begin(); }
  auto end() const noexcept { return fields_.end(); }

  // The position of a field; throws ArgumentError that lists the names there are.
  std::size_t index_of(std::string_view name) const;

  // The fields below `prefix`, in schema order, those of groups in it included; the names belong to this
  // schema. Throws ArgumentError where there is no such group.
  std::vector<Member> group(std::string_view prefix) const;

  std::size_t row_bytes(std::size_t field) const noexcept { return row_bytes_[field]; }

  // Whether `field` is there, of fixed shape (and a scalar) and of `dtype`. Asked for every sample.
  bool has_fixed(std::size_t field) const noexcept {
    return field < fields_.size() && (fixed_fields_ >> field & 1) != 0;
  }
  bool has_fixed(std::size_t field, DType dtype) const noexcept {
    return has_fixed(field) && fields_[field].dtype == dtype;
  }
  bool has_scalar(std::size_t field, DType dtype) const noexcept {
    return has_fixed(field, dtype) && fields_[field].shape.empty();
  }

  // Bit f is set where field f is of fixed shape, or ragged.
  std::uint64_t fixed_fields() const noexcept { return fixed_fields_; }
  std::uint64_t ragged_fields() const noexcept { return ragged_fields_; }

  // How many ragged fields stand before `field`, which is below size().
  std::size_t ragged_before(std::size_t field) const noexcept {
    return static_cast<std::size_t>(std::popcount(ragged_fields_ & ((std::uint64_t{1} << field) - 1)));
  }

 private:
  void check(std::size_t field) const;
  [[noreturn]] void refuse(std::size_t field) const;

  std::vector<Field> fields_;
  std::vector<std::size_t> row_bytes_;
  std::uint64_t fixed_fields_ = 0;
  std::uint64_t ragged_fields_ = 0;
};

}  // namespace leat
