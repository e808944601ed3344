/// \file
/// What the bytes of a stored field mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "leat/datasets/dtype.h"
#include "leat/datasets/export.h"
#include "leat/datasets/tensor_view.h"

namespace leat {

/// How a field of a sample is stored, whatever the format. The names are those of MDS (MosaicML Streaming), which
/// parse_encoding() and to_string() use.
struct LEAT_EXPORT Encoding {
  /// The kinds of encodings.
  enum Kind : std::uint8_t {
    bytes,   ///< "bytes": anything.
    text,    ///< "str": UTF-8.
    json,    ///< "json": UTF-8.
    jpeg,    ///< "jpeg": a whole JPEG file; readers accept a PNG file as well.
    png,     ///< "png": a whole PNG file; readers accept a JPEG file as well.
    pixels,  ///< "pil": u8 of `shape` [height, width, channels], 1 channel (gray) or 3 (RGB), in C order.
    number,  ///< "int", "uint8", "float32", "bool"...: one little-endian number of `dtype`.
    array,   ///< "ndarray:<dtype>:<d0,d1,...>": little-endian numbers of `dtype` and `shape`, in C order.
    array_with_shape,   ///< "ndarray:<dtype>": the shape stands before the numbers, as MDS lays it out.
    array_with_header,  ///< "ndarray": dtype and shape stand before the numbers, as MDS lays them out.
    decimal_integer,    ///< "str_int": a whole number as decimal text.
    decimal_float,      ///< "str_float": a number as decimal text.
    decimal,            ///< "str_decimal": a number as decimal text.
    list,               ///< "list[...]", "jpeg_array": several values, as MDS lays them out.
    other,              ///< Anything else, such as "pkl"; cannot be read.
  };

  /// An encoding that needs neither dtype nor shape.
  Encoding(Kind which = bytes) : kind(which) {}  // NOLINT(google-explicit-constructor): add("x", jpeg)
  /// Returns the encoding of a number of this dtype.
  static Encoding number_of(DType of);
  /// Returns the encoding of an array of this dtype and shape.
  static Encoding array_of(DType of, Shape extents);
  /// Returns the encoding of pixels of this size; `channels` is 1 or 3.
  static Encoding pixels_of(std::size_t height, std::size_t width, std::size_t channels);

  /// Whether values are files of images or pixels.
  bool is_image() const noexcept { return kind == jpeg || kind == png || kind == pixels; }

  friend bool operator==(const Encoding&, const Encoding&) = default;

  Kind kind;                ///< Which kind.
  DType dtype = DType::u8;  ///< Of `number`, `array` and `array_with_shape`.
  Shape shape{};            ///< Of `array` and `pixels`.
  std::string name{};       ///< Of `list` and `other`: how it is called.
};

/// Returns the encoding with this name; one of kind `other` if the name is not known.
LEAT_EXPORT Encoding parse_encoding(std::string_view name);

/// Returns the name, such as "ndarray:float32:3,224,224".
LEAT_EXPORT std::string to_string(const Encoding& encoding);

}  // namespace leat
