/// \file
/// The schema of leat records, and what the bytes of each field mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/datasets/schema.h"

namespace leat {

/// What the bytes of a field mean.
enum class Content {
  values,  ///< Numbers.
  text,    ///< UTF-8, as ragged u8.
  bytes,   ///< Anything, as ragged u8.
  jpeg,    ///< The file of an image, as ragged u8; its first bytes tell a JPEG from a PNG.
  /// Pixels: u8 [height, width, 3]; or ragged u8 of [3], with height and width in the field NAME_size, u32 [2].
  rgb,
};

/// Returns "values", "text", "bytes", "jpeg" or "rgb".
LEAT_EXPORT std::string_view name_of(Content content) noexcept;

/// A field of a record.
struct LEAT_EXPORT RecordField {
  Field field;                        ///< Name, dtype and shape.
  Content content = Content::values;  ///< What its bytes mean.
};

/// The fields of the records of a set, and the names of the classes. docs/record-format.md, "Schema", has the rules.
///
/// Immutable, hence thread-safe.
class LEAT_EXPORT RecordSchema {
 public:
  /// Makes a schema without fields.
  RecordSchema() = default;
  /// `classes` are the names of the labels 0, 1, ... Throws ArgumentError if there is no field, a content does not suit
  /// the dtype and shape of its field, which is named, or the fields break a rule of Schema.
  explicit RecordSchema(std::vector<RecordField> fields, std::vector<std::string> classes = {});

  /// Returns the fields without their contents.
  const Schema& fields() const noexcept { return fields_; }
  /// Returns the number of fields.
  std::size_t size() const noexcept { return fields_.size(); }
  /// Returns the content of the field at this position, which is below size().
  Content content(std::size_t field) const { return contents_.at(field); }
  /// Returns the names of the classes whose numbers the field "label" holds; empty if there are none.
  const std::vector<std::string>& classes() const noexcept { return classes_; }

  /// Returns the position of the field of this name; nullopt if there is none.
  std::optional<std::size_t> find(std::string_view name) const noexcept;
  /// Returns the position of the first field of this content; nullopt if there is none.
  std::optional<std::size_t> find(Content content) const noexcept;
  /// Returns the position of the field "name" if it holds text; nullopt if there is none.
  std::optional<std::size_t> find_name() const noexcept;

  /// Returns the same schema with other greatest lengths, one for each ragged field in order. Lengths of 0 become 1.
  RecordSchema with_max_lengths(const std::vector<std::size_t>& lengths) const;

  /// Whether the schemas differ in nothing but greatest lengths.
  bool matches(const RecordSchema& other) const;

 private:
  void check(std::size_t field) const;

  Schema fields_;
  std::vector<Content> contents_;
  std::vector<std::string> classes_;
};

}  // namespace leat
