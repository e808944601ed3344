// Infers which record fields hold one field of a foreign format.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leat/datasets/formats/stored_value.h"
#include "leat/datasets/record.h"
#include "leat/datasets/record_schema.h"

namespace leat::detail {

// Learns from the values of all samples what can hold each of them:
//
//   numbers  of one shape -> that shape; if the first extents differ -> ragged; scalars among rows are rows of one
//   decimal  i64, scalar; text if one of them is text
//   text     text, or bytes if one is not UTF-8
//   bytes, jpeg -> bytes, or jpeg if all of them are jpeg
//   list     bytes, in the list's own layout
//   pixels   RGB of one size -> rgb [height, width, 3]; of several -> ragged rgb with <name>_size; gray becomes RGB
//   jpeg and pixels (FFCV's modes "smart" and "proportion")
//            jpeg: files keep their bytes, and pixels become PNGs, which are lossless
class FieldInference {
 public:
  // Throws ArgumentError saying how the value differs from those before, if no field can hold both.
  void add(const StoredValue& value);

  // Returns whether every sample has one whole number here. If so, append_fields() and convert() make it i64 from now
  // on.
  bool make_label();

  bool is_image() const noexcept { return kind_ == Kind::jpeg || kind_ == Kind::pixels; }

  // Appends the record's fields for this field, under this name.
  void append_fields(const std::string& name, std::vector<RecordField>& fields) const;

  // Appends the values of those fields. Throws DataError naming the field if the value is unlike all that were added.
  void convert(const StoredField& field, Record& record) const;

 private:
  using Kind = StoredValue::Kind;

  void add_kind(const StoredValue& value);
  void add_shape(Shape shape);
  void add_pixels(const StoredValue& value);
  bool accepts(const StoredValue& value) const;
  bool accepts_shape(Shape shape) const;

  bool empty_ = true;
  Kind kind_ = Kind::bytes;
  DType dtype_ = DType::u8;
  Shape shape_;                     // of the first value
  bool sizes_differ_ = false;       // whether first extents differ; for pixels: heights or widths
  std::size_t longest_ = 0;         // greatest length of a ragged field, except of pixels
  std::size_t longest_pixels_ = 0;  // greatest number of pixels in one sample
  std::size_t longest_png_ = 0;     // greatest size of such a sample as a PNG, in bytes
  bool is_label_ = false;
};

}  // namespace leat::detail
