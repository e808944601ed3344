#include "leat/datasets/formats/field_inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/codecs/png_encoder.h"
#include "leat/datasets/io/byte_writer.h"

namespace leat::detail {

namespace {

using Kind = StoredValue::Kind;

constexpr std::size_t kColors = kChannels;

// Returns the kind that holds values of both kinds, or none if there is no such kind.
std::optional<Kind> common_kind(Kind a, Kind b) {
  const auto are = [&](Kind one, Kind other) { return (a == one && b == other) || (a == other && b == one); };
  if (a == b) return a;
  if (are(Kind::decimal, Kind::text)) return Kind::text;
  if (are(Kind::jpeg, Kind::bytes) || are(Kind::text, Kind::bytes) || are(Kind::decimal, Kind::bytes))
    return Kind::bytes;
  if (are(Kind::jpeg, Kind::pixels)) return Kind::jpeg;
  return std::nullopt;
}

bool same_but_first(const Shape& a, const Shape& b) {
  return a.size() == b.size() && (a.empty() || std::equal(a.begin() + 1, a.end(), b.begin() + 1));
}

void append_pixels(const StoredValue& value, std::vector<std::byte>& out) {
  if (value.shape.back() == kColors) return append_bytes(out, value.bytes);
  out.reserve(value.bytes.size() * kColors);
  for (const std::byte gray : value.bytes) out.insert(out.end(), kColors, gray);
}

Size size_of(const StoredValue& pixels) {
  return {static_cast<int>(pixels.shape[1]), static_cast<int>(pixels.shape[0])};
}

std::vector<std::byte> to_png(const StoredValue& value) {
  std::vector<std::byte> rgb;
  append_pixels(value, rgb);
  const Size size = size_of(value);
  return encode_png(
      {reinterpret_cast<const std::uint8_t*>(rgb.data()), size, std::ptrdiff_t{size.width} * kChannels});
}

}  // namespace

// Other samples may hold files, so this keeps the bounds of both kinds.
void FieldInference::add_pixels(const StoredValue& value) {
  if (longest_pixels_ == 0) shape_ = value.shape;
  sizes_differ_ |= !std::equal(shape_.begin(), shape_.begin() + 2, value.shape.begin());
  longest_pixels_ = std::max(longest_pixels_, value.shape[0] * value.shape[1]);
  longest_png_ = std::max(longest_png_, max_png_bytes(size_of(value)));
}

void FieldInference::add(const StoredValue& value) {
  add_kind(value);
  if (value.kind == Kind::pixels) {
    add_pixels(value);
  } else if (kind_ == Kind::numbers) {
    add_shape(value.shape);
  } else {
    longest_ = std::max(longest_, value.bytes.size());
  }
  empty_ = false;
}

void FieldInference::add_kind(const StoredValue& value) {
  const auto kind = empty_ ? value.kind : common_kind(kind_, value.kind);
  if (!kind) {
    throw ArgumentError(
        fmt::format("it holds {}, and {} in samples before", name_of(value.kind), name_of(kind_)));
  }
  if (!empty_ && *kind == Kind::numbers && value.dtype != dtype_) {
    throw ArgumentError(
        fmt::format("it is of {}, and of {} in samples before", name_of(value.dtype), name_of(dtype_)));
  }
  kind_ = *kind;
  dtype_ = value.dtype;
}

void FieldInference::add_shape(Shape shape) {
  if (empty_) shape_ = shape;
  if (shape.empty() && shape_.size() == 1) shape = {1};
  if (shape.size() == 1 && shape_.empty()) shape_ = {1};
  if (!same_but_first(shape, shape_)) {
    throw ArgumentError(
        fmt::format("its shape is {}, and {} in samples before; the first extent alone may differ",
                    to_string(shape), to_string(shape_)));
  }
  if (shape.empty()) return;
  sizes_differ_ |= shape[0] != shape_[0] || shape[0] == 0;  // a fixed shape is never empty
  longest_ = std::max(longest_, shape[0]);
}

bool FieldInference::make_label() {
  const bool whole = is_whole(dtype_);
  is_label_ = kind_ == Kind::decimal || (kind_ == Kind::numbers && whole && shape_.empty());
  return is_label_;
}

void FieldInference::append_fields(const std::string& name, std::vector<RecordField>& fields) const {
  const std::size_t files = std::max(longest_, longest_png_);  // longest_png_ is 0 if there are no pixels
  const std::size_t most = std::max<std::size_t>(1, kind_ == Kind::pixels ? longest_pixels_ : files);
  switch (kind_) {
    case Kind::decimal:
      return fields.push_back({{name, DType::i64, {}}, Content::values});
    case Kind::text:
      return fields.push_back({Field::text(name, most), Content::text});
    case Kind::bytes:
    case Kind::list:
      return fields.push_back({Field::text(name, most), Content::bytes});
    case Kind::jpeg:
      return fields.push_back({Field::text(name, most), Content::jpeg});
    case Kind::numbers: {
      if (!sizes_differ_)
        return fields.push_back({{name, is_label_ ? DType::i64 : dtype_, shape_}, Content::values});
      const Shape element(shape_.begin() + 1, shape_.end());
      return fields.push_back(
          {Field::ragged(name, dtype_, {.max_length = most, .element = element}), Content::values});
    }
    case Kind::pixels:
      if (!sizes_differ_)
        return fields.push_back({{name, DType::u8, {shape_[0], shape_[1], kColors}}, Content::rgb});
      fields.push_back({{name + "_size", DType::u32, {2}}, Content::values});
      fields.push_back(
          {Field::ragged(name, DType::u8, {.max_length = most, .element = {kColors}}), Content::rgb});
  }
}

// Whether add_shape() would change nothing.
bool FieldInference::accepts_shape(Shape shape) const {
  if (shape.empty() && shape_.size() == 1) shape = {1};
  if (!same_but_first(shape, shape_)) return false;
  return shape.empty() || (sizes_differ_ ? shape[0] <= longest_ : shape[0] == shape_[0]);
}

bool FieldInference::accepts(const StoredValue& value) const {
  if (empty_ || common_kind(kind_, value.kind) != kind_) return false;
  if (value.kind == Kind::pixels) {
    if (longest_pixels_ == 0) return false;  // no sample had pixels
    const bool is_of_size =
        sizes_differ_ || std::equal(shape_.begin(), shape_.begin() + 2, value.shape.begin());
    return is_of_size && value.shape[0] * value.shape[1] <= longest_pixels_ &&
           max_png_bytes(size_of(value)) <= longest_png_;
  }
  if (kind_ == Kind::numbers) return value.dtype == dtype_ && accepts_shape(value.shape);
  return value.bytes.size() <= longest_;
}

void FieldInference::convert(const StoredField& field, Record& record) const {
  const StoredValue value = parse_value(field);
  if (!accepts(value)) {
    throw DataError(fmt::format("field '{}'", field.name),
                    "it is not what it was when all samples were looked at, or could not be read then");
  }
  if (kind_ == Kind::pixels && sizes_differ_) {
    std::vector<std::byte>& extents = record.fields.emplace_back();
    append_little(extents, static_cast<std::uint32_t>(value.shape[0]));
    append_little(extents, static_cast<std::uint32_t>(value.shape[1]));
  }
  std::vector<std::byte>& bytes = record.fields.emplace_back();
  if (kind_ == Kind::decimal || is_label_) {
    append_little(bytes, integer_of(field));
  } else if (kind_ == Kind::pixels) {
    append_pixels(value, bytes);
  } else if (value.kind == Kind::pixels) {
    bytes = to_png(value);
  } else {
    append_bytes(bytes, value.bytes);
  }
}

}  // namespace leat::detail
