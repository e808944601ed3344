#include "leat/datasets/sample_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/stored_value.h"

namespace leat {

using namespace detail;

namespace {

bool is_signed(DType dtype) noexcept {
  return dtype == DType::i8 || dtype == DType::i16 || dtype == DType::i32 || dtype == DType::i64;
}

std::int64_t integer_of_bytes(const StoredField& field) {
  const std::span<const std::byte> bytes = field.bytes();
  const std::size_t size = size_of(field.encoding.dtype);
  if (bytes.size() != size) refuse(field, fmt::format("it has {} bytes, not {}", bytes.size(), size));
  const bool is_negative = is_signed(field.encoding.dtype) && std::to_integer<unsigned>(bytes.back()) >= 0x80;
  std::uint64_t value = is_negative ? ~std::uint64_t{0} : 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  if (!is_signed(field.encoding.dtype) &&
      value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    refuse(field, fmt::format("{} exceeds the numbers of 64 bits with a sign", value));
  }
  return static_cast<std::int64_t>(value);
}

// Whether the encoding is one number of an integer dtype, alone or as an array of one element.
bool is_integer(const Encoding& encoding) {
  const bool is_one =
      encoding.kind == Encoding::number || (encoding.kind == Encoding::array && encoding.shape == Shape{1});
  return is_one && is_whole(encoding.dtype);
}

}  // namespace

StoredField& StoredSample::add(std::string_view name, Encoding encoding) {
  if (size_ == fields_.size()) fields_.emplace_back();
  StoredField& field = fields_[size_++];
  field.name = name;
  field.encoding = std::move(encoding);
  field.memory().clear();
  return field;
}

const StoredField* StoredSample::find(std::string_view name) const noexcept {
  for (const StoredField& field : fields()) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

std::vector<std::byte> StoredSample::release(std::size_t position) {
  if (position >= size_)
    throw ArgumentError(fmt::format("there is no field {}: there are {}", position, size_));
  StoredField& field = fields_[position];
  if (!field.is_view()) return std::exchange(field.memory(), {});
  return {field.bytes().begin(), field.bytes().end()};
}

bool FieldChoice::wants(std::string_view name) const noexcept {
  return all_ || std::ranges::find(names_, name) != names_.end();
}

void SampleSource::check_index(std::size_t index) const {
  if (index >= size()) throw ArgumentError(fmt::format("there is no sample {}: there are {}", index, size()));
}

std::int64_t integer_of(const StoredField& field) {
  if (field.encoding.kind == Encoding::decimal_integer || field.encoding.kind == Encoding::text) {
    if (const auto value = whole_number_of(field.text())) return *value;
    refuse(field, fmt::format("'{}' is no whole number of 64 bits", trimmed(field.text()).substr(0, 40)));
  }
  if (is_integer(field.encoding)) return integer_of_bytes(field);
  refuse(field, "it holds no whole number");
}

}  // namespace leat
