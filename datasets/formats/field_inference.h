// How one field of a foreign format becomes fields of leat records.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leat/datasets/formats/stored_value.h"
#include "leat/datasets/record.h"
#include "leat/datasets/record_schema.h"

namespace leat::detail {

// Learns from the values of all samples what can hold every one of them:
//
//   numbers  of one shape -> that shape; where the first extent differs -> ragged; scalars among rows are rows of one
//   decimal  i64, scalar; text where one of them is text
//   text     text, or bytes where one is not UTF-8
//   bytes, jpeg -> bytes, or jpeg where all of them are
//   list     bytes, as the list is laid out
//   pixels   RGB of one size -> rgb [height, width, 3]; of several -> ragged rgb with <name>_size; gray becomes RGB
//   jpeg and pixels (FFCV's modes "smart" and "proportion")
//            jpeg: files keep their bytes, and pixels become PNGs, which lose none
class FieldInference {
 public:
  // Throws ArgumentError that says how the value differs from those before, where no field holds both.
  void add(const StoredValue& value);

  // Whether it is one whole number for each sample; if so, append_fields() and convert() make it i64 from now on.
  bool make_label();

  bool is_image() const noexcept { return kind_ == Kind::jpeg || kind_ == Kind::pixels; }

  // The record's fields for it, under this name.
  void append_fields(const std::string& name, std::vector<RecordField>& fields) const;

  // The values of those fields. Throws DataError that names the field on values unlike all that were added.
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
  Shape shape_;                     // the first one
  bool sizes_differ_ = false;       // the first extents; of pixels: height or width
  std::size_t longest_ = 0;         // elements of a ragged field, but for pixels
  std::size_t longest_pixels_ = 0;  // of them, in one sample
  std::size_t longest_png_ = 0;     // bytes of such a sample as a PNG
  bool is_label_ = false;
};

}  // namespace leat::detail
