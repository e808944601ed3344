// What the bytes of a stored field are, in the terms of a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "leat/datasets/dtype.h"
#include "leat/datasets/image_size.h"
#include "leat/datasets/sample_source.h"
#include "leat/datasets/tensor_view.h"

namespace leat::detail {

struct StoredValue {
  enum class Kind {
    numbers,  // int, scalars, ndarray:<dtype>:<shape>, ndarray:<dtype>
    decimal,  // str_int whose text is a whole number of 64 bits
    text,     // str, json, str_float, str_decimal, other str_int; where they are UTF-8
    bytes,    // bytes; of these texts others; of jpeg and png what is an image of another kind
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
std::string_view name_of(StoredValue::Kind kind) noexcept;

// Throws DataError that names the field where its bytes are not what its encoding says, and on encodings that records
// do not hold: pkl, and what is not known.
// Source of ndarray's head: mosaicml/streaming, streaming/base/format/mds/encodings.py.
StoredValue parse_value(const StoredField& field);

// Throws DataError that names the field and its encoding.
[[noreturn]] void refuse(const StoredField& field, std::string_view problem);

// Pixels, row by row, channels interleaved.
struct StoredPixels {
  Size size;
  int channels = 0;  // 1 or 3
  const std::uint8_t* data = nullptr;
};

// Of a field whose encoding is `pixels`. Throws DataError that names the field unless its shape is [height, width, 1
// or 3], each extent from 1 to 2^20, and its bytes are as many.
StoredPixels stored_pixels(const StoredField& field);

// The whole number of 64 bits that the text is, white space around it; nullopt where it is none.
std::optional<std::int64_t> whole_number_of(std::string_view text) noexcept;
std::string_view trimmed(std::string_view text) noexcept;  // without white space around it

// Whether numbers of this dtype are whole, booleans included.
bool is_whole(DType dtype) noexcept;

}  // namespace leat::detail
