#include "leat/datasets/formats/raw_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/byte_reader.h"

namespace leat {

namespace {

[[noreturn]] void refuse(const RawField& field, std::string_view problem) {
  throw DataError(fmt::format("field '{}' ({})", field.name, field.encoding), problem);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::int64_t integer_of_text(const RawField& field) {
  const std::string_view text = trimmed(field.text());
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && !text.empty()) return value;
  refuse(field, fmt::format("'{}' is no whole number of 64 bits", text.substr(0, 40)));
}

struct IntegerEncoding {
  std::string_view name;
  std::size_t bytes;
  bool is_signed;
};

constexpr std::array<IntegerEncoding, 10> kIntegers{{{"int", 8, true},
                                                     {"bool", 1, false},
                                                     {"int8", 1, true},
                                                     {"int16", 2, true},
                                                     {"int32", 4, true},
                                                     {"int64", 8, true},
                                                     {"uint8", 1, false},
                                                     {"uint16", 2, false},
                                                     {"uint32", 4, false},
                                                     {"uint64", 8, false}}};

// The dtype of "ndarray:<dtype>:1"; other encodings are returned as they are.
std::string_view scalar_encoding(std::string_view encoding) {
  constexpr std::string_view kArray = "ndarray:", kOne = ":1";
  if (!encoding.starts_with(kArray) || !encoding.ends_with(kOne)) return encoding;
  return encoding.substr(kArray.size(), encoding.size() - kArray.size() - kOne.size());
}

std::int64_t integer_of_bytes(const RawField& field, const IntegerEncoding& encoding) {
  if (field.bytes.size() != encoding.bytes) {
    refuse(field, fmt::format("it has {} bytes, not {}", field.bytes.size(), encoding.bytes));
  }
  const bool is_negative = encoding.is_signed && std::to_integer<unsigned>(field.bytes.back()) >= 0x80;
  std::uint64_t value = is_negative ? ~std::uint64_t{0} : 0;
  for (std::size_t i = encoding.bytes; i-- > 0;) {
    value = value << 8 | std::to_integer<std::uint64_t>(field.bytes[i]);
  }
  if (!encoding.is_signed && value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    refuse(field, fmt::format("{} exceeds the numbers of 64 bits with a sign", value));
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace

RawField& RawSample::add(std::string_view name, std::string_view encoding) {
  if (size_ == fields_.size()) fields_.emplace_back();
  RawField& field = fields_[size_++];
  field.name = name;
  field.encoding = encoding;
  field.bytes.clear();
  return field;
}

const RawField* RawSample::find(std::string_view name) const noexcept {
  for (const RawField& field : fields()) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

bool FieldChoice::wants(std::string_view name) const noexcept {
  return all_ || std::ranges::find(names_, name) != names_.end();
}

void RawSource::check_index(std::size_t index) const {
  if (index >= size()) throw ArgumentError(fmt::format("there is no sample {}: there are {}", index, size()));
}

std::int64_t integer_of(const RawField& field) {
  if (field.encoding == "str_int" || field.encoding == "str") return integer_of_text(field);
  const std::string_view scalar = scalar_encoding(field.encoding);
  for (const IntegerEncoding& encoding : kIntegers) {
    if (encoding.name == scalar) return integer_of_bytes(field, encoding);
  }
  refuse(field, "it holds no whole number");
}

}  // namespace leat
