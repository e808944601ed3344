// Interprets the bytes of a stored field in the terms of a record.
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
    text,     // str, json, str_float, str_decimal, and str_int that is no decimal; if they are UTF-8
    bytes,    // bytes; text encodings that are not UTF-8; jpeg and png that hold another kind of image
    list,     // list[...] and jpeg_array: bytes, in their own layout
    jpeg,     // jpeg and png: files of either kind
    pixels    // pil
  };

  Kind kind = Kind::bytes;
  DType dtype = DType::u8;  // for numbers
  Shape shape = {};         // for numbers; for pixels: height, width, channels
  std::span<const std::byte> bytes =
      {};  // numbers, text, file or pixels, without a header: a view into the field
};

// "numbers", "text"...
std::string_view name_of(StoredValue::Kind kind) noexcept;

// Throws DataError naming the field if its bytes do not match its encoding, or if records do not hold the encoding
// (pkl and unknown encodings).
// Source of ndarray's header: mosaicml/streaming, streaming/base/format/mds/encodings.py.
StoredValue parse_value(const StoredField& field);

// Throws DataError naming the field and its encoding.
[[noreturn]] void refuse(const StoredField& field, std::string_view problem);

// Pixels row by row, with interleaved channels.
struct StoredPixels {
  Size size;
  int channels = 0;  // 1 or 3
  const std::uint8_t* data = nullptr;
};

// Returns the pixels of a field whose encoding is `pixels`. Throws DataError naming the field unless its shape is
// [height, width, 1 or 3], each extent is from 1 to 2^20, and the number of bytes matches the shape.
StoredPixels stored_pixels(const StoredField& field);

// Parses a whole number of 64 bits, with or without white space around it. Returns nullopt if the text is not one.
std::optional<std::int64_t> whole_number_of(std::string_view text) noexcept;
std::string_view trimmed(std::string_view text) noexcept;  // without white space around it

// Whether numbers of this dtype are whole, booleans included.
bool is_whole(DType dtype) noexcept;

}  // namespace leat::detail
