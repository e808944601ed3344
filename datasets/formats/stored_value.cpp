#include "leat/datasets/formats/stored_value.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/base/numpy_dtype.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/formats/stored_image.h"
#include "leat/datasets/io/byte_reader.h"
#include "leat/datasets/io/utf8.h"

namespace leat::detail {

namespace {

using Kind = StoredValue::Kind;

// Reads an array's own header: rank and width of an extent in one byte, then the extents.
Shape take_shape(const StoredField& field, ByteReader& reader) {
  const unsigned head = reader.little<std::uint8_t>();
  const unsigned rank = head >> 2, power = head & 3;
  if (rank == 0 || rank > kMaxNumpyRank) refuse(field, fmt::format("it has {} dimensions", rank));
  Shape shape;
  for (unsigned i = 0; i < rank; ++i) {
    std::uint64_t extent = 0;
    const auto bytes = reader.take(std::uint64_t{1} << power);
    for (std::size_t k = bytes.size(); k-- > 0;)
      extent = extent << 8 | std::to_integer<std::uint64_t>(bytes[k]);
    shape.push_back(extent);
  }
  return shape;
}

std::size_t bytes_of(const StoredField& field, DType dtype, const Shape& shape) {
  try {
    std::size_t bytes = size_of(dtype);
    for (const std::size_t extent : shape) bytes = checked_multiply(bytes, extent);
    return bytes;
  } catch (const ArgumentError& error) {
    refuse(field, error.what());
  }
}

StoredValue numbers_of(const StoredField& field, DType dtype, Shape shape, std::span<const std::byte> bytes) {
  const std::size_t wanted = bytes_of(field, dtype, shape);
  if (bytes.size() != wanted) refuse(field, fmt::format("it has {} bytes, not {}", bytes.size(), wanted));
  if (dtype == DType::boolean && !are_booleans(bytes))
    refuse(field, "it holds a byte that is neither 0 nor 1");
  return {Kind::numbers, dtype, std::move(shape), bytes};
}

StoredValue array_with_shape_of(const StoredField& field) {
  const std::string source = fmt::format("field '{}'", field.name);
  ByteReader reader(field.bytes(), source);
  Shape shape = take_shape(field, reader);
  return numbers_of(field, field.encoding.dtype, std::move(shape), reader.take(reader.remaining()));
}

// Reads an array that states its dtype in its first byte.
StoredValue any_array_of(const StoredField& field) {
  constexpr std::array<std::pair<unsigned, DType>, 11> kCodes{{{8, DType::u8},
                                                               {9, DType::i8},
                                                               {16, DType::u16},
                                                               {17, DType::i16},
                                                               {18, DType::f16},
                                                               {32, DType::u32},
                                                               {33, DType::i32},
                                                               {34, DType::f32},
                                                               {64, DType::u64},
                                                               {65, DType::i64},
                                                               {66, DType::f64}}};
  const std::string source = fmt::format("field '{}'", field.name);
  ByteReader reader(field.bytes(), source);
  const unsigned code = reader.little<std::uint8_t>();
  for (const auto& [known, dtype] : kCodes) {
    if (known != code) continue;
    Shape shape = take_shape(field, reader);
    return numbers_of(field, dtype, std::move(shape), reader.take(reader.remaining()));
  }
  refuse(field, fmt::format("its dtype has the number {}, which is not known", code));
}

StoredValue text_of(const StoredField& field) {
  return {.kind = is_utf8(field.text()) ? Kind::text : Kind::bytes, .bytes = field.bytes()};
}

StoredValue decimal_or_text(const StoredField& field) {
  if (whole_number_of(field.text())) return {.kind = Kind::decimal, .bytes = field.bytes()};
  return text_of(field);
}

StoredValue image_of(const StoredField& field) {
  if (image_kind(field.bytes()).empty()) refuse(field, "it is no image");
  return {.kind = is_decoded_file(field.bytes()) ? Kind::jpeg : Kind::bytes, .bytes = field.bytes()};
}

StoredValue pixels_of(const StoredField& field) {
  stored_pixels(field);
  return {Kind::pixels, DType::u8, field.encoding.shape, field.bytes()};
}

}  // namespace

std::string_view name_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::numbers:
      return "numbers";
    case Kind::decimal:
      return "a whole number as text";
    case Kind::text:
      return "text";
    case Kind::bytes:
      return "bytes";
    case Kind::list:
      return "a list";
    case Kind::jpeg:
      return "an image's file";
    case Kind::pixels:
      return "pixels";
  }
  return "";
}

StoredValue parse_value(const StoredField& field) {
  switch (field.encoding.kind) {
    case Encoding::jpeg:
    case Encoding::png:
      return image_of(field);
    case Encoding::bytes:
      return {.kind = Kind::bytes, .bytes = field.bytes()};
    case Encoding::list:
      return {.kind = Kind::list, .bytes = field.bytes()};
    case Encoding::array_with_header:
      return any_array_of(field);
    case Encoding::array_with_shape:
      return array_with_shape_of(field);
    case Encoding::array:
      return numbers_of(field, field.encoding.dtype, field.encoding.shape, field.bytes());
    case Encoding::number:
      return numbers_of(field, field.encoding.dtype, {}, field.bytes());
    case Encoding::decimal_integer:
      return decimal_or_text(field);
    case Encoding::pixels:
      return pixels_of(field);
    case Encoding::text:
    case Encoding::json:
    case Encoding::decimal_float:
    case Encoding::decimal:
      return text_of(field);
    case Encoding::other:
      break;
  }
  refuse(field, "records do not hold values of this encoding");
}

void refuse(const StoredField& field, std::string_view problem) {
  throw DataError(fmt::format("field '{}' ({})", field.name, to_string(field.encoding)), problem);
}

StoredPixels stored_pixels(const StoredField& field) {
  constexpr std::size_t kMaxExtent = std::size_t{1} << 20;  // along one edge
  const Shape& shape = field.encoding.shape;
  const auto is_extent = [](std::size_t extent) { return extent >= 1 && extent <= kMaxExtent; };
  const bool sound = field.encoding.kind == Encoding::pixels && shape.size() == 3 && is_extent(shape[0]) &&
                     is_extent(shape[1]) && (shape[2] == 1 || shape[2] == kChannels) &&
                     shape[0] * shape[1] * shape[2] == field.bytes().size();
  if (!sound) {
    refuse(
        field,
        fmt::format(
            "{} bytes are no pixels of the shape {}, which is [height, width, 1 or 3], extents from 1 to {}",
            field.bytes().size(), to_string(shape), kMaxExtent));
  }
  return {{static_cast<int>(shape[1]), static_cast<int>(shape[0])},
          static_cast<int>(shape[2]),
          reinterpret_cast<const std::uint8_t*>(field.bytes().data())};
}

std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<std::int64_t> whole_number_of(std::string_view text) noexcept {
  const std::string_view digits = trimmed(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end == digits.data() + digits.size() && !digits.empty()) return value;
  return std::nullopt;
}

bool is_whole(DType dtype) noexcept {
  return dtype != DType::f16 && dtype != DType::bf16 && dtype != DType::f32 && dtype != DType::f64;
}

}  // namespace leat::detail
