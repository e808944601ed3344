#include "leat/transfer/prefetch/device_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "leat/datasets/base/checked.h"

namespace leat::detail {
namespace {

PixelShape pixels_of(const Field& field) {
  if (field.dtype != DType::u8 || field.shape.size() != 3) {
    throw ArgumentError(
        fmt::format("field \"{}\" is {} {}; only u8 pixels of shape [height, width, channels] can be "
                    "normalized",
                    field.name, name_of(field.dtype), to_string(field.shape)));
  }
  return {1, field.shape[0], field.shape[1], field.shape[2]};
}

Shape shape_of(const PixelShape& pixels, PixelLayout layout, std::size_t rows) {
  if (layout == PixelLayout::nhwc) return {rows, pixels.h, pixels.w, pixels.c};
  return {rows, pixels.c, pixels.h, pixels.w};
}

bool has_field(const Schema& schema, std::string_view name) {
  return std::any_of(schema.begin(), schema.end(), [&](const Field& field) { return field.name == name; });
}

void require_fixed_shapes(const Schema& schema) {
  for (const Field& field : schema) {
    if (field.is_ragged()) {
      throw ArgumentError(fmt::format(
          "field \"{}\" is ragged; batches on a device hold fields of fixed shape only, so give it "
          "one in the dataset, or take host batches from the loader and pad them",
          field.name));
    }
  }
}

}  // namespace

DeviceLayout::DeviceLayout(BatchLayout slot, const std::vector<FieldNormalization>& normalize)
    : slot_(std::move(slot)), bytes_(slot_.bytes()) {
  require_fixed_shapes(slot_.schema());
  for (const FieldNormalization& wanted : normalize) add(wanted);
}

void DeviceLayout::add(const FieldNormalization& wanted) {
  Output output;
  output.name = wanted.output.empty() ? wanted.field : wanted.output;
  output.field = slot_.schema().index_of(wanted.field);
  output.shape = pixels_of(slot_.schema()[output.field]);
  output.how = wanted.how;
  output.how.check(output.shape);
  check_name(output.name, wanted.field);
  output.offset = bytes_;
  const std::size_t row = checked_multiply(output.shape.count(), size_of(output.how.dtype));
  const std::size_t all = align_up(checked_multiply(row, slot_.capacity()), BatchLayout::kAlignment);
  bytes_ = checked_add(bytes_, all);
  outputs_.push_back(std::move(output));
}

void DeviceLayout::check_name(const std::string& name, const std::string& field) const {
  const bool taken =
      std::any_of(outputs_.begin(), outputs_.end(), [&](const Output& o) { return o.name == name; }) ||
      (name != field && has_field(slot_.schema(), name));
  if (taken) {
    throw ArgumentError(fmt::format(
        "the normalized form of field \"{}\" cannot be called \"{}\": that name is taken", field, name));
  }
}

TensorView DeviceLayout::view(std::string_view name, std::byte* base, std::size_t rows) const {
  for (const Output& output : outputs_) {
    if (output.name == name) {
      return {base + output.offset, output.how.dtype, shape_of(output.shape, output.how.layout, rows)};
    }
  }
  if (has_field(slot_.schema(), name)) return slot_.view(slot_.schema().index_of(name), base, rows);
  std::string names;
  for (const Field& field : slot_.schema()) names += fmt::format(" \"{}\"", field.name);
  for (const Output& output : outputs_) names += fmt::format(" \"{}\"", output.name);
  throw ArgumentError(fmt::format("a batch has no \"{}\"; it has:{}", name, names));
}

void DeviceLayout::normalize(std::byte* base, std::size_t rows, StreamRef stream) const {
  for (const Output& output : outputs_) {
    PixelShape shape = output.shape;
    shape.n = rows;
    const auto* from = reinterpret_cast<const std::uint8_t*>(base + slot_.offset(output.field));
    stream.device().normalize(base + output.offset, from, shape, output.how, stream);
  }
}

}  // namespace leat::detail
