#include "leat/datasets/encoding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "leat/datasets/base/numpy_dtype.h"

namespace leat {

using namespace detail;

namespace {

constexpr std::array<std::pair<std::string_view, Encoding::Kind>, 11> kNames{
    {{"bytes", Encoding::bytes},
     {"str", Encoding::text},
     {"json", Encoding::json},
     {"jpeg", Encoding::jpeg},
     {"png", Encoding::png},
     {"pil", Encoding::pixels},
     {"ndarray", Encoding::array_with_header},
     {"str_int", Encoding::decimal_integer},
     {"str_float", Encoding::decimal_float},
     {"str_decimal", Encoding::decimal},
     {"jpeg_array", Encoding::list}}};
constexpr std::string_view kArray = "ndarray:", kList = "list[";
// Parses "2,3" as [2, 3].
std::optional<Shape> parse_shape(std::string_view text) {
  Shape shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (shape.size() < kMaxNumpyRank) {
    std::size_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc()) break;
    shape.push_back(extent);
    if (next == end) return shape;
    if (*next != ',') break;
    at = next + 1;
  }
  return std::nullopt;
}

// Parses the text after "ndarray:".
std::optional<Encoding> parse_array(std::string_view rest) {
  const std::size_t colon = rest.find(':');
  const auto dtype = dtype_of_numpy_name(rest.substr(0, colon));
  if (!dtype) return std::nullopt;
  if (colon == std::string_view::npos) {
    Encoding encoding(Encoding::array_with_shape);
    encoding.dtype = *dtype;
    return encoding;
  }
  auto shape = parse_shape(rest.substr(colon + 1));
  if (!shape) return std::nullopt;
  return Encoding::array_of(*dtype, std::move(*shape));
}

Encoding with_name(Encoding::Kind kind, std::string_view name) {
  Encoding encoding(kind);
  encoding.name = name;
  return encoding;
}

}  // namespace

Encoding Encoding::number_of(DType of) {
  Encoding encoding(number);
  encoding.dtype = of;
  return encoding;
}

Encoding Encoding::array_of(DType of, Shape extents) {
  Encoding encoding(array);
  encoding.dtype = of;
  encoding.shape = std::move(extents);
  return encoding;
}

Encoding Encoding::pixels_of(std::size_t height, std::size_t width, std::size_t channels) {
  Encoding encoding(pixels);
  encoding.shape = {height, width, channels};
  return encoding;
}

Encoding parse_encoding(std::string_view name) {
  if (name == "int") return Encoding::number_of(DType::i64);
  if (const auto dtype = dtype_of_numpy_name(name)) return Encoding::number_of(*dtype);
  if (name.starts_with(kList) && name.ends_with(']')) return with_name(Encoding::list, name);
  for (const auto& [known, kind] : kNames) {
    if (known == name) return kind == Encoding::list ? with_name(kind, name) : Encoding(kind);
  }
  if (name.starts_with(kArray)) {
    if (auto array = parse_array(name.substr(kArray.size()))) return std::move(*array);
  }
  return with_name(Encoding::other, name);
}

std::string to_string(const Encoding& encoding) {
  switch (encoding.kind) {
    case Encoding::number:
      return std::string(encoding.dtype == DType::i64 ? "int" : numpy_name(encoding.dtype));
    case Encoding::array:
      return fmt::format("{}{}:{}", kArray, numpy_name(encoding.dtype), fmt::join(encoding.shape, ","));
    case Encoding::array_with_shape:
      return fmt::format("{}{}", kArray, numpy_name(encoding.dtype));
    case Encoding::list:
    case Encoding::other:
      return encoding.name;
    default:
      break;
  }
  for (const auto& [name, kind] : kNames) {
    if (kind == encoding.kind) return std::string(name);
  }
  return {};
}

}  // namespace leat
