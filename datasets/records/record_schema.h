// What the records of a set look like: a schema, and what the bytes of each field mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leat/datasets/schema.h"

namespace leat {

enum class Content {
  values,  // numbers
  text,    // UTF-8, ragged u8
  bytes,   // anything, ragged u8
  jpeg,    // a picture's file, JPEG or PNG as its first bytes tell, ragged u8
  rgb,  // pixels: u8 [height, width, 3]; or ragged u8 of [3], with the field <name>_size, u32 [2]: height, width
};

std::string_view name_of(Content content) noexcept;

struct RecordField {
  Field field;
  Content content = Content::values;
};

// Immutable. docs/record-format.md, "Schema", has the rules.
class RecordSchema {
 public:
  RecordSchema() = default;
  // Throws ArgumentError naming the field whose content does not suit its dtype and shape.
  explicit RecordSchema(std::vector<RecordField> fields, std::vector<std::string> classes = {});

  const Schema& fields() const noexcept { return fields_; }
  std::size_t size() const noexcept { return fields_.size(); }
  Content content(std::size_t field) const { return contents_.at(field); }
  const std::vector<std::string>& classes() const noexcept { return classes_; }  // of the field "label"

  std::optional<std::size_t> find(std::string_view name) const noexcept;
  std::optional<std::size_t> find(Content content) const noexcept;  // the first one
  std::optional<std::size_t> find_name() const noexcept;            // the text field "name"

  // The same with other greatest lengths, one per ragged field in the schema's order. Lengths of 0 become 1.
  RecordSchema with_max_lengths(const std::vector<std::size_t>& lengths) const;

  // Whether the other one differs in nothing but greatest lengths.
  bool matches(const RecordSchema& other) const;

 private:
  void check(std::size_t field) const;

  Schema fields_;
  std::vector<Content> contents_;
  std::vector<std::string> classes_;
};

}  // namespace leat
