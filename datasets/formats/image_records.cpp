#include "leat/datasets/formats/image_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/picture_names.h"
#include "leat/datasets/formats/stored_picture.h"

namespace leat {

namespace {

constexpr std::array<std::string_view, 6> kLabelNames{"cls",   "label",  "image/class/label",
                                                      "class", "target", "y"};

std::string list_of(const RawSample& sample) {
  std::string text;
  for (const RawField& field : sample.fields()) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", field.name, field.encoding);
  }
  return text;
}

// The name of the only field that satisfies the condition; empty where there is none, or more than one.
std::string only_field(const RawSample& sample, const std::function<bool(const RawField&)>& condition) {
  std::string found;
  for (const RawField& field : sample.fields()) {
    if (!condition(field)) continue;
    if (!found.empty()) return {};
    found = field.name;
  }
  return found;
}

bool is_integer(const RawField& field) {
  return field.encoding.starts_with("int") || field.encoding.starts_with("uint") ||
         field.encoding == "str_int";
}

std::string find_image(const RawSample& sample) {
  std::string encoded = only_field(sample, [](const RawField& field) {
    return field.encoding == "jpeg" || field.encoding == "png" || field.encoding == "pil";
  });
  if (!encoded.empty()) return encoded;
  return only_field(sample, [](const RawField& field) {
    const std::string_view kind = picture_kind(field.bytes);
    return kind == "JPEG" || kind == "PNG";
  });
}

std::string find_label(const RawSample& sample) {
  for (const std::string_view name : kLabelNames) {
    if (sample.find(name) != nullptr) return std::string(name);
  }
  return only_field(sample, is_integer);
}

ImageFields completed(ImageFields given, const RawSource& source) {
  if (!given.image.empty() && !given.label.empty()) return given;
  ImageFields found = find_image_fields(source);
  if (!given.image.empty()) found.image = std::move(given.image);
  if (!given.label.empty()) found.label = std::move(given.label);
  return found;
}

FieldChoice otherwise(const ImageFields& fields) {
  std::vector<std::string> names = other_picture_names(fields.image);
  names.push_back(fields.label);
  return FieldChoice(std::move(names));
}

const RawField& required(const RawField* field, const std::string& name) {
  if (field == nullptr) throw ArgumentError(fmt::format("it has no field '{}'", name));
  return *field;
}

}  // namespace

ImageFields guess_image_fields(const RawSample& sample) {
  return {find_image(sample), find_label(sample)};
}

ImageFields find_image_fields(const RawSource& source) {
  if (source.size() == 0) throw ArgumentError("there are no samples, so no fields of pictures to find");
  RawSample first;
  source.read(0, {}, first);
  const ImageFields found = guess_image_fields(first);
  if (!found.image.empty() && !found.label.empty()) return found;
  throw DataError(source.describe(0), fmt::format("which field holds the {} is not clear; there are: {}",
                                                  found.image.empty() ? "picture" : "label", list_of(first)));
}

ImageRecords::ImageRecords(std::shared_ptr<const RawSource> source, TransformPipeline transforms,
                           ImageRecordsOptions options)
    : source_(std::move(source)),
      transforms_(std::move(transforms)),
      fields_(completed(std::move(options.fields), *source_)),
      decode_(options.decode),
      both_({fields_.image, fields_.label}),
      otherwise_(otherwise(fields_)),
      label_({fields_.label}),
      image_(transforms_),
      schema_(image_.schema()) {}

void ImageRecords::read(std::size_t index, RawSample& sample) const {
  source_->read(index, both_, sample);
  if (sample.find(fields_.image) == nullptr) source_->read(index, otherwise_, sample);
}

void ImageRecords::get(std::size_t index, Rng& rng, SampleWriter& out) const {
  try {
    load(index, rng, out);
  } catch (const SystemError&) {
    throw;  // it names the file
  } catch (const Error& error) {
    if (index >= size()) throw;
    throw DataError(describe(index), error.what());
  }
}

void ImageRecords::load(std::size_t index, Rng& rng, SampleWriter& out) const {
  thread_local RawSample sample;
  read(index, sample);
  const RawField& image = required(find_picture(sample, fields_.image), fields_.image);
  const PixelOutput pixels = image_.output(out.bytes(LabelledImage::kImage));
  warnings_.count(load_picture(image, transforms_, decode_, rng, pixels), index);
  out.set(LabelledImage::kLabel, integer_of(required(sample.find(fields_.label), fields_.label)));
}

std::int64_t ImageRecords::label_of(std::size_t index) const {
  thread_local RawSample sample;
  source_->read(index, label_, sample);
  if (const RawField* field = sample.find(fields_.label)) return integer_of(*field);
  throw DataError(describe(index), fmt::format("it has no field '{}'", fields_.label));
}

}  // namespace leat
