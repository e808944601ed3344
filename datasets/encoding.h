/// \file
/// The meaning of the bytes of a stored field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "leat/datasets/dtype.h"
#include "leat/datasets/export.h"
#include "leat/datasets/tensor_view.h"

namespace leat {

/// How a field of a sample is stored, in any format. The names are those of MDS (MosaicML Streaming), which
/// parse_encoding() and to_string() use.
struct LEAT_EXPORT Encoding {
  /// The kinds of encodings.
  enum Kind : std::uint8_t {
    bytes,   ///< "bytes": any bytes.
    text,    ///< "str": UTF-8.
    json,    ///< "json": UTF-8.
    jpeg,    ///< "jpeg": a whole JPEG file; readers accept a PNG file as well.
    png,     ///< "png": a whole PNG file; readers accept a JPEG file as well.
    pixels,  ///< "pil": u8 of `shape` [height, width, channels], 1 (gray) or 3 (RGB) channels, in C order.
    number,  ///< "int", "uint8", "float32", "bool"...: one little-endian number of `dtype`.
    array,   ///< "ndarray:<dtype>:<d0,d1,...>": little-endian numbers of `dtype` and `shape`, in C order.
    array_with_shape,   ///< "ndarray:<dtype>": the shape precedes the numbers, in the layout of MDS.
    array_with_header,  ///< "ndarray": dtype and shape precede the numbers, in the layout of MDS.
    decimal_integer,    ///< "str_int": a whole number as decimal text.
    decimal_float,      ///< "str_float": a number as decimal text.
    decimal,            ///< "str_decimal": a number as decimal text.
    list,               ///< "list[...]", "jpeg_array": several values, in the layout of MDS.
    other,              ///< Anything else, such as "pkl"; cannot be read.
  };

  /// Makes an encoding that needs neither dtype nor shape.
  Encoding(Kind which = bytes) : kind(which) {}  // NOLINT(google-explicit-constructor): add("x", jpeg)
  /// Returns the encoding of a number of this dtype.
  static Encoding number_of(DType of);
  /// Returns the encoding of an array of this dtype and shape.
  static Encoding array_of(DType of, Shape extents);
  /// Returns the encoding of pixels of this size; `channels` is 1 or 3.
  static Encoding pixels_of(std::size_t height, std::size_t width, std::size_t channels);

  /// Whether values are image files or pixels.
  bool is_image() const noexcept { return kind == jpeg || kind == png || kind == pixels; }

  friend bool operator==(const Encoding&, const Encoding&) = default;

  Kind kind;                ///< The kind of encoding.
  DType dtype = DType::u8;  ///< The dtype of `number`, `array` and `array_with_shape`.
  Shape shape{};            ///< The shape of `array` and `pixels`.
  std::string name{};       ///< The name of `list` and `other`.
};

/// Returns the encoding with this name. Unknown names give an encoding of kind `other`.
LEAT_EXPORT Encoding parse_encoding(std::string_view name);

/// Returns the name, such as "ndarray:float32:3,224,224".
LEAT_EXPORT std::string to_string(const Encoding& encoding);

}  // namespace leat
