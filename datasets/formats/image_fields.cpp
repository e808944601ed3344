#include "leat/datasets/formats/image_fields.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/stored_image.h"
#include "leat/datasets/formats/stored_value.h"

namespace leat::detail {

namespace {

constexpr std::array<std::string_view, 6> kLabelNames{"cls",   "label",  "image/class/label",
                                                      "class", "target", "y"};

std::string list_of(const StoredSample& sample) {
  std::string text;
  for (const StoredField& field : sample.fields()) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", field.name, to_string(field.encoding));
  }
  return text;
}

// Returns the name of the only field that satisfies the condition; empty if there is none, or more than one.
std::string only_field(const StoredSample& sample, const std::function<bool(const StoredField&)>& condition) {
  std::string found;
  for (const StoredField& field : sample.fields()) {
    if (!condition(field)) continue;
    if (!found.empty()) return {};
    found = field.name;
  }
  return found;
}

bool is_integer(const StoredField& field) {
  const Encoding& encoding = field.encoding;
  return encoding.kind == Encoding::decimal_integer ||
         (encoding.kind == Encoding::number && is_whole(encoding.dtype) && encoding.dtype != DType::boolean);
}

std::string find_image(const StoredSample& sample) {
  std::string encoded =
      only_field(sample, [](const StoredField& field) { return field.encoding.is_image(); });
  if (!encoded.empty()) return encoded;
  const StoredField* const usual = sample.find("image");
  if (usual != nullptr && usual->encoding.is_image()) return usual->name;
  return only_field(sample, [](const StoredField& field) { return is_decoded_file(field.bytes()); });
}

std::string find_label(const StoredSample& sample) {
  for (const std::string_view name : kLabelNames) {
    if (sample.find(name) != nullptr) return std::string(name);
  }
  return only_field(sample, is_integer);
}

// Finds the fields of records: for the image, the first field of JPEG files, or else of pixels; for the label, the
// whole number called label.
ImageFields fields_of(const RecordSchema& schema) {
  ImageFields fields;
  for (const Content content : {Content::jpeg, Content::rgb}) {
    if (const auto field = schema.find(content); field && fields.image.empty())
      fields.image = schema.fields()[*field].name;
  }
  const auto label = schema.find("label");
  if (label && schema.fields().has_scalar(*label, DType::i64)) fields.label = "label";
  return fields;
}

std::string list_of(const RecordSchema& schema) {
  std::string text;
  for (std::size_t i = 0; i < schema.size(); ++i)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", schema.fields()[i].name,
                        name_of(schema.content(i)));
  return text;
}

}  // namespace

ImageFields guess_image_fields(const StoredSample& sample) {
  return {find_image(sample), find_label(sample)};
}

ImageFields complete_image_fields(const ImageFields& given, const SampleSource& source) {
  if (!given.image.empty() && !given.label.empty()) return given;
  const RecordSchema* const schema = source.schema();
  if (schema == nullptr && source.size() == 0)
    throw ArgumentError("there are no samples, so no fields of images to find");
  StoredSample first;
  if (schema == nullptr) source.read(0, {}, first);
  ImageFields fields = schema != nullptr ? fields_of(*schema) : guess_image_fields(first);
  if (!given.image.empty()) fields.image = given.image;
  if (!given.label.empty()) fields.label = given.label;
  if (!fields.image.empty() && !fields.label.empty()) return fields;
  throw DataError(source.size() == 0 ? "an empty source" : source.describe(0),
                  fmt::format("which field holds the {} is not clear; there are: {}",
                              fields.image.empty() ? "image" : "label",
                              schema != nullptr ? list_of(*schema) : list_of(first)));
}

}  // namespace leat::detail
