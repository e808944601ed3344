/// \file
/// The schema of leat records, with the meaning of each field's bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/datasets/schema.h"

namespace leat {

/// The meaning of a field's bytes.
enum class Content {
  values,  ///< Numbers.
  text,    ///< UTF-8, as ragged u8.
  bytes,   ///< Any bytes, as ragged u8.
  jpeg,    ///< An image file, as ragged u8; its first bytes distinguish JPEG and PNG.
  /// Pixels: u8 [height, width, 3]; or ragged u8 with elements of [3], with height and width in the field NAME_size,
  /// u32 [2].
  rgb,
};

/// Returns "values", "text", "bytes", "jpeg" or "rgb".
LEAT_EXPORT std::string_view name_of(Content content) noexcept;

/// A field of a record.
struct LEAT_EXPORT RecordField {
  Field field;                        ///< Name, dtype and shape.
  Content content = Content::values;  ///< The meaning of its bytes.
};

/// The fields of a set's records and the names of the classes. The rules are in docs/record-format.md, "Schema".
///
/// Immutable, so thread-safe.
class LEAT_EXPORT RecordSchema {
 public:
  /// Makes a schema without fields.
  RecordSchema() = default;
  /// `classes` are the names of the labels 0, 1, ... Throws ArgumentError if there is no field, if the fields break a
  /// rule of Schema, or if a content does not fit its field's dtype and shape; then the message names the field.
  explicit RecordSchema(std::vector<RecordField> fields, std::vector<std::string> classes = {});

  /// Returns the fields without their contents.
  const Schema& fields() const noexcept { return fields_; }
  /// Returns the number of fields.
  std::size_t size() const noexcept { return fields_.size(); }
  /// Returns the content of the field at this position, which is below size().
  Content content(std::size_t field) const { return contents_.at(field); }
  /// Returns the names of the classes, which the field "label" holds indices of. Empty if there are none.
  const std::vector<std::string>& classes() const noexcept { return classes_; }

  /// Returns the position of the field with this name, or nullopt if there is none.
  std::optional<std::size_t> find(std::string_view name) const noexcept;
  /// Returns the position of the first field with this content, or nullopt if there is none.
  std::optional<std::size_t> find(Content content) const noexcept;
  /// Returns the position of the field "name" if it holds text, otherwise nullopt.
  std::optional<std::size_t> find_name() const noexcept;

  /// Returns the same schema with other maximum lengths, one for each ragged field in order. Lengths of 0 become 1.
  RecordSchema with_max_lengths(const std::vector<std::size_t>& lengths) const;

  /// Whether the schemas are equal except for maximum lengths.
  bool matches(const RecordSchema& other) const;

 private:
  void check(std::size_t field) const;

  Schema fields_;
  std::vector<Content> contents_;
  std::vector<std::string> classes_;
};

}  // namespace leat
