/// \file
/// The fields of a sample: their names, dtypes and shapes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leat/datasets/dtype.h"
#include "leat/datasets/export.h"
#include "leat/datasets/tensor_view.h"

namespace leat {

/// The rows of a ragged field. A batch reserves addresses for batch size * max_length elements, so the bound is
/// required. Memory is allocated only for what is written.
struct LEAT_EXPORT RaggedRows {
  std::size_t max_length = 0;  ///< The maximum number of elements of a row.
  Shape element{};             ///< The shape of an element; empty for a scalar.
};

/// A field of a sample. A field of fixed shape has rows of `shape`. A ragged field has rows of [length, shape...],
/// and each sample has its own length from 0 to max_length: tokens, boxes, points. Text and bytes are ragged u8.
struct LEAT_EXPORT Field {
  std::string name;                         ///< The name. Dots form groups, see Schema.
  DType dtype = DType::u8;                  ///< The type of its elements.
  Shape shape;                              ///< Shape of a row, or of a ragged row's element; empty: scalar.
  std::optional<std::size_t> max_length{};  ///< The maximum length of a row, if the field is ragged.

  /// Makes a ragged field: Field::ragged("boxes", DType::f32, {.max_length = 100, .element = {4}}).
  static Field ragged(std::string name, DType dtype, RaggedRows rows);
  /// Makes a ragged field of u8, for text or bytes.
  static Field text(std::string name, std::size_t max_bytes);

  /// Whether each sample has its own length.
  bool is_ragged() const noexcept { return max_length.has_value(); }
  /// Returns the size of a value of shape `shape`, in bytes. Throws ArgumentError if it does not fit into 64 bits.
  std::size_t element_bytes() const;
  /// Returns the maximum size of a row, in bytes. Throws like element_bytes().
  std::size_t row_bytes() const;

  /// Throws ArgumentError that names the field if it holds another dtype.
  void require(DType wanted) const;

  /// Whether name, dtype, shape and maximum length are the same.
  bool operator==(const Field&) const = default;
};

/// Returns dtype and shape: "u8 [224, 224, 3]", or "i32 [0 to 4096]" for a ragged field.
LEAT_EXPORT std::string to_string(const Field& field);

/// The fields of every sample of a dataset. There are at most kMaxFields. Names are distinct, and no extent or
/// max_length is zero. Dots in names form groups: "image.pixels" and "image.size" form the group "image". The parts
/// between dots are not empty, and no name is both a field and a group.
///
/// Immutable, so thread-safe.
class LEAT_EXPORT Schema {
 public:
  /// The maximum number of fields.
  static constexpr std::size_t kMaxFields = 64;

  /// A field of a group.
  struct Member {
    std::string_view name;  ///< Its name in the group: "pixels" for "image.pixels".
    std::size_t field;      ///< Its position in the schema.
  };

  /// Makes a schema without fields.
  Schema() = default;
  /// Throws ArgumentError that names the field which breaks a rule.
  explicit Schema(std::vector<Field> fields);

  /// Returns the number of fields.
  std::size_t size() const noexcept { return fields_.size(); }
  /// Returns the field at this position. Throws ArgumentError if there is none.
  const Field& operator[](std::size_t field) const {
    if (field >= fields_.size()) refuse(field);
    return fields_[field];
  }
  auto begin() const noexcept { return fields_.begin(); }  ///< The first field.
  auto end() const noexcept { return fields_.end(); }      ///< The end of the fields.

  /// Returns the position of the field with this name. Throws ArgumentError that lists all names if there is none.
  std::size_t index_of(std::string_view name) const;

  /// Returns the fields of a group and of the groups in it, in the schema's order. The names are valid as long as the
  /// schema. Throws ArgumentError if there is no such group.
  std::vector<Member> group(std::string_view prefix) const;

  /// Returns the maximum size of a row of the field at this position, in bytes. The position must be below size().
  std::size_t row_bytes(std::size_t field) const noexcept { return row_bytes_[field]; }

  /// Whether there is a field at this position and it has fixed shape.
  bool has_fixed(std::size_t field) const noexcept {
    return field < fields_.size() && (fixed_fields_ >> field & 1) != 0;
  }
  /// Whether there is a field at this position and it has fixed shape and this dtype.
  bool has_fixed(std::size_t field, DType dtype) const noexcept {
    return has_fixed(field) && fields_[field].dtype == dtype;
  }
  /// Whether there is a field at this position and it is a scalar of this dtype.
  bool has_scalar(std::size_t field, DType dtype) const noexcept {
    return has_fixed(field, dtype) && fields_[field].shape.empty();
  }

  /// Returns the set of the fields of fixed shape: bit f stands for field f.
  std::uint64_t fixed_fields() const noexcept { return fixed_fields_; }
  /// Returns the set of the ragged fields: bit f stands for field f.
  std::uint64_t ragged_fields() const noexcept { return ragged_fields_; }

  /// Returns the number of ragged fields before `field`, which is below size().
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
