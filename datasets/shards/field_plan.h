// How one field of a foreign format becomes fields of leat records.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leat/datasets/records/record_schema.h"
#include "leat/datasets/shards/conversion_source.h"
#include "leat/datasets/shards/raw_value.h"

namespace leat {

// Learns from the values of all samples what can hold every one of them:
//
//   numbers  of one shape -> that shape; where the first extent differs -> ragged; scalars among rows are rows of one
//   decimal  i64, scalar; text where one of them is text
//   text     text, or bytes where one is not UTF-8
//   bytes, jpeg -> bytes, or jpeg where all of them are
//   list     bytes, as the list is laid out
//   pixels   RGB of one size -> rgb [height, width, 3]; of several -> ragged rgb with <name>_size; grey becomes RGB
//   jpeg and pixels (FFCV's modes "smart" and "proportion")
//            jpeg: files keep their bytes, and pixels become PNGs, which lose none
class FieldPlan {
 public:
  // Throws ArgumentError that says how the value differs from those before, where no field holds both.
  void add(const RawValue& value);

  // Whether it is one whole number for each sample; if so, append_fields() and convert() make it i64 from now on.
  bool make_label();

  bool is_picture() const noexcept { return kind_ == Kind::jpeg || kind_ == Kind::pixels; }

  // The record's fields for it, under this name.
  void append_fields(const std::string& name, std::vector<RecordField>& fields) const;

  // The values of those fields. Throws DataError that names the field on values unlike all that were added.
  void convert(const RawField& field, ConversionSample& sample) const;

 private:
  using Kind = RawValue::Kind;

  void add_kind(const RawValue& value);
  void add_shape(Shape shape);
  void add_pixels(const RawValue& value);
  bool suits(const RawValue& value) const;

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

}  // namespace leat
