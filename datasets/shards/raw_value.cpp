#include "leat/datasets/shards/raw_value.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/formats/byte_reader.h"
#include "leat/datasets/formats/stored_picture.h"
#include "leat/datasets/formats/utf8.h"

namespace leat {

using namespace detail;

namespace {

using Kind = RawValue::Kind;

constexpr std::array<std::pair<std::string_view, DType>, 13> kNumbers{{{"int", DType::i64},
                                                                       {"uint8", DType::u8},
                                                                       {"int8", DType::i8},
                                                                       {"uint16", DType::u16},
                                                                       {"int16", DType::i16},
                                                                       {"uint32", DType::u32},
                                                                       {"int32", DType::i32},
                                                                       {"uint64", DType::u64},
                                                                       {"int64", DType::i64},
                                                                       {"float16", DType::f16},
                                                                       {"float32", DType::f32},
                                                                       {"float64", DType::f64},
                                                                       {"bool", DType::boolean}}};
constexpr std::array<std::string_view, 4> kTexts{"str", "json", "str_float", "str_decimal"};
constexpr std::string_view kArray = "ndarray:";
constexpr std::size_t kMaxRank = 32;  // as NumPy had it

[[noreturn]] void refuse(const RawField& field, std::string_view problem) {
  throw DataError(fmt::format("field '{}' ({})", field.name, field.encoding), problem);
}

std::optional<DType> dtype_named(std::string_view name) {
  for (const auto& [known, dtype] : kNumbers) {
    if (known == name) return dtype;
  }
  return std::nullopt;
}

// "2,3" -> [2, 3].
Shape shape_of(const RawField& field, std::string_view text) {
  Shape shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (shape.size() < kMaxRank) {
    std::size_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc()) break;
    shape.push_back(extent);
    if (next == end) return shape;
    if (*next != ',') break;
    at = next + 1;
  }
  refuse(field, "its shape is no list of numbers");
}

// An array's own head: rank and width of an extent in one byte, then the extents.
Shape take_shape(const RawField& field, ByteReader& reader) {
  const unsigned head = reader.little<std::uint8_t>();
  const unsigned rank = head >> 2, power = head & 3;
  if (rank == 0 || rank > kMaxRank) refuse(field, fmt::format("it has {} dimensions", rank));
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

std::size_t bytes_of(const RawField& field, DType dtype, const Shape& shape) {
  try {
    std::size_t bytes = size_of(dtype);
    for (const std::size_t extent : shape) bytes = checked_multiply(bytes, extent);
    return bytes;
  } catch (const ArgumentError& error) {
    refuse(field, error.what());
  }
}

RawValue numbers_of(const RawField& field, DType dtype, Shape shape, std::span<const std::byte> bytes) {
  const std::size_t wanted = bytes_of(field, dtype, shape);
  if (bytes.size() != wanted) refuse(field, fmt::format("it has {} bytes, not {}", bytes.size(), wanted));
  if (dtype == DType::boolean && !are_booleans(bytes))
    refuse(field, "it holds a byte that is neither 0 nor 1");
  return {Kind::numbers, dtype, std::move(shape), bytes};
}

RawValue array_of(const RawField& field) {
  const std::string_view rest = std::string_view(field.encoding).substr(kArray.size());
  const std::size_t colon = rest.find(':');
  const auto dtype = dtype_named(rest.substr(0, colon));
  if (!dtype || rest.starts_with("int:")) refuse(field, "its dtype is none that records hold");
  if (colon != std::string_view::npos)
    return numbers_of(field, *dtype, shape_of(field, rest.substr(colon + 1)), field.bytes);
  const std::string source = fmt::format("field '{}'", field.name);
  ByteReader reader(field.bytes, source);
  Shape shape = take_shape(field, reader);
  return numbers_of(field, *dtype, std::move(shape), reader.take(reader.remaining()));
}

// An array whose dtype stands in its first byte.
RawValue any_array_of(const RawField& field) {
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
  ByteReader reader(field.bytes, source);
  const unsigned code = reader.little<std::uint8_t>();
  for (const auto& [known, dtype] : kCodes) {
    if (known != code) continue;
    Shape shape = take_shape(field, reader);
    return numbers_of(field, dtype, std::move(shape), reader.take(reader.remaining()));
  }
  refuse(field, fmt::format("its dtype has the number {}, which is not known", code));
}

RawValue text_of(const RawField& field) {
  return {.kind = is_utf8(field.text()) ? Kind::text : Kind::bytes, .bytes = field.bytes};
}

RawValue decimal_or_text(const RawField& field) {
  try {
    integer_of(field);
    return {.kind = Kind::decimal, .bytes = field.bytes};
  } catch (const DataError&) {
    return text_of(field);
  }
}

RawValue picture_of(const RawField& field) {
  const std::string_view kind = picture_kind(field.bytes);
  if (kind.empty()) refuse(field, "it is no picture");
  return {.kind = kind == "JPEG" || kind == "PNG" ? Kind::jpeg : Kind::bytes, .bytes = field.bytes};
}

RawValue pixels_of(const RawField& field) {
  const StoredPixels pixels = parse_pil(field);
  const auto height = static_cast<std::size_t>(pixels.size.height);
  const auto width = static_cast<std::size_t>(pixels.size.width);
  return {Kind::pixels, DType::u8, {height, width, static_cast<std::size_t>(pixels.channels)}, pixels.pixels};
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
      return "a picture's file";
    case Kind::pixels:
      return "pixels";
  }
  return "";
}

RawValue parse_value(const RawField& field) {
  const std::string& encoding = field.encoding;
  if (encoding == "jpeg" || encoding == "png") return picture_of(field);
  if (encoding == "bytes") return {.kind = Kind::bytes, .bytes = field.bytes};
  if (encoding == "jpeg_array" || encoding.starts_with("list["))
    return {.kind = Kind::list, .bytes = field.bytes};
  if (encoding == "ndarray") return any_array_of(field);
  if (encoding == "str_int") return decimal_or_text(field);
  if (encoding == "pil") return pixels_of(field);
  if (encoding.starts_with(kArray)) return array_of(field);
  if (const auto dtype = dtype_named(encoding)) return numbers_of(field, *dtype, {}, field.bytes);
  for (const std::string_view text : kTexts) {
    if (encoding == text) return text_of(field);
  }
  refuse(field, "records do not hold values of this encoding");
}

}  // namespace leat
