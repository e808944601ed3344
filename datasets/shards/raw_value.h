// What the bytes of a raw field are, in the terms of a record.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "leat/datasets/dtype.h"
#include "leat/datasets/formats/raw_source.h"
#include "leat/datasets/tensor_view.h"

namespace leat {

struct RawValue {
  enum class Kind {
    numbers,  // int, scalars, ndarray:<dtype>:<shape>, ndarray:<dtype>
    decimal,  // str_int whose text is a whole number of 64 bits
    text,     // str, json, str_float, str_decimal, other str_int; where they are UTF-8
    bytes,    // bytes; of these texts others; of jpeg and png what is a picture of another kind
    list,     // list[...] and jpeg_array: bytes, as they are laid out
    jpeg,     // of jpeg and png: files of either kind
    pixels    // pil
  };

  Kind kind = Kind::bytes;
  DType dtype = DType::u8;  // of numbers
  Shape shape = {};         // of numbers; of pixels: height, width, channels
  std::span<const std::byte> bytes =
      {};  // numbers, text, file or pixels, without a head: a view into the field
};

// "numbers", "text"...
std::string_view name_of(RawValue::Kind kind) noexcept;

// Throws DataError that names the field where its bytes are not what its encoding says, and on encodings that records do
// not hold: pkl, and what is not known.
// Source of ndarray's head: mosaicml/streaming, streaming/base/format/mds/encodings.py.
RawValue parse_value(const RawField& field);

}  // namespace leat
