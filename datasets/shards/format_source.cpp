#include "leat/datasets/shards/format_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/image_records.h"
#include "leat/datasets/formats/picture_names.h"
#include "leat/datasets/formats/utf8.h"
#include "leat/datasets/records/xxh3.h"

namespace leat {

namespace {

constexpr std::array<std::string_view, 6> kSuffixes{".jpg", ".jpeg", ".png", ".txt", ".cls", ".bin"};

std::string name_without_suffix(const std::string& name) {
  if (name == "txt") return "text";
  for (const std::string_view suffix : kSuffixes) {
    if (name.size() > suffix.size() && name.ends_with(suffix))
      return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

// Whether they are the same, or one would be a field and the group of the other.
bool clash(std::string_view a, std::string_view b) {
  const auto is_group = [](std::string_view group, std::string_view name) {
    return name.size() > group.size() && name.starts_with(group) && name[group.size()] == '.';
  };
  return a == b || is_group(a, b) || is_group(b, a);
}

std::string names_of(const RawSample& sample) {
  std::string names;
  for (const RawField& field : sample.fields()) names += (names.empty() ? "" : ", ") + field.name;
  return names;
}

// Arrays that are called so, of pixels by their dtype and shape.
bool is_rgb_array(const RecordField& field) {
  const Field& array = field.field;
  return field.content == Content::values && array.name == "image" && array.dtype == DType::u8 &&
         !array.is_ragged() && array.shape.size() == 3 && array.shape[2] == 3;
}

void update(Xxh3Stream& checksum, std::string_view text) {
  checksum.update(std::as_bytes(std::span(text)));
}

void parse(const RawSample& sample, std::vector<RawValue>& values) {
  values.clear();
  for (const RawField& field : sample.fields()) values.push_back(parse_value(field));
}

}  // namespace

FormatSource::FormatSource(std::shared_ptr<const RawSource> source, const FormatSourceOptions& options)
    : source_(std::move(source)) {
  if (source_->size() == 0) throw ArgumentError("there are no samples, so no fields to learn from them");
  look_at_all(options);
  std::vector<RecordField> fields = make_fields();
  const bool labelled = std::ranges::any_of(fields, [](const RecordField& field) {
    return field.field.name == "label" && field.field.dtype == DType::i64;
  });
  schema_ = RecordSchema(std::move(fields), labelled ? source_->classes() : std::vector<std::string>());
}

void FormatSource::look_at_all(const FormatSourceOptions& options) {
  RawSample sample;
  std::vector<RawValue> values;
  std::optional<DataError> first_error;
  Xxh3Stream contents;
  for (std::size_t index = 0; index < size(); ++index) {
    longest_key_ = std::max(longest_key_, utf8_name(source_->key(index)).size());
    update(contents, describe(index));
    if (options.on_progress) options.on_progress(index);
    try {
      source_->read(index, {}, sample);
      parse(sample, values);
    } catch (const DataError& error) {
      if (!first_error) first_error.emplace(describe(index), error.what());
      continue;
    }
    if (columns_.empty()) begin(sample, options.image_field);
    add(index, sample, values);
    for (const RawField& field : sample.fields()) {
      update(contents, field.name);
      contents.update(field.bytes);
    }
  }
  if (options.on_progress) options.on_progress(size());
  fingerprint_ = contents.digest();
  if (columns_.empty()) throw first_error.value_or(DataError(describe(0), "no sample has any field"));
}

void FormatSource::begin(const RawSample& sample, const std::string& image_field) {
  for (const RawField& field : sample.fields()) columns_.push_back({field.name, field.name});
  const ImageFields guess = guess_image_fields(sample);
  picture_ = image_field.empty() ? guess.image : image_field;
  if (!image_field.empty() && std::ranges::find(columns_, picture_, &Column::raw_name) == columns_.end())
    throw ArgumentError(fmt::format("there is no field '{}'; there are: {}", picture_, names_of(sample)));
  label_ = guess.label;
}

// The column of the field; of a picture, that of another kind of file which the sample does not have.
std::vector<FormatSource::Column>::iterator FormatSource::find_column(const RawSample& sample,
                                                                      const std::string& name) {
  auto column = std::ranges::find(columns_, name, &Column::raw_name);
  for (const std::string& other : other_picture_names(name)) {
    if (column != columns_.end()) break;
    if (sample.find(other) == nullptr) column = std::ranges::find(columns_, other, &Column::raw_name);
  }
  return column;
}

void FormatSource::add(std::size_t index, const RawSample& sample, const std::vector<RawValue>& values) {
  if (values.size() != columns_.size()) {
    throw DataError(describe(index), fmt::format("it has the fields {}, and samples before have {} of them",
                                                 names_of(sample), columns_.size()));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& name = sample.fields()[i].name;
    const auto column = find_column(sample, name);
    if (column == columns_.end())
      throw DataError(describe(index), fmt::format("it has the field '{}', and samples before do not", name));
    try {
      column->plan.add(values[i]);
    } catch (const ArgumentError& error) {
      throw DataError(describe(index), fmt::format("field '{}': {}", name, error.what()));
    }
  }
}

bool FormatSource::is_free(const std::string& name, const Column& wanted_by) const {
  return std::ranges::none_of(columns_, [&](const Column& other) {
    return &other != &wanted_by && (clash(name, other.name) || clash(name, other.raw_name));
  });
}

std::string FormatSource::usual_name(Column& column, bool has_picture) const {
  const std::string& raw = column.raw_name;
  if (raw == picture_ && column.plan.is_picture()) return "image";
  const bool may_be_label = raw == label_ && (has_picture || raw == "cls" || raw == "label");
  if (may_be_label && column.plan.make_label()) return "label";
  return name_without_suffix(raw);
}

std::vector<RecordField> FormatSource::make_fields() {
  const bool has_picture = std::ranges::any_of(columns_, [this](const Column& column) {
    return column.raw_name == picture_ && column.plan.is_picture();
  });
  for (Column& column : columns_) {
    std::string name = usual_name(column, has_picture);
    if (is_free(name, column)) column.name = std::move(name);
  }
  std::vector<RecordField> fields;
  for (const Column& column : columns_) column.plan.append_fields(column.name, fields);
  for (RecordField& field : fields) {
    if (is_rgb_array(field)) field.content = Content::rgb;
  }
  has_key_ = longest_key_ != 0 && std::ranges::find(columns_, "name", &Column::name) == columns_.end();
  if (has_key_) fields.push_back({Field::text("name", longest_key_), Content::text});
  return fields;
}

ConversionSample FormatSource::read(std::size_t index) const {
  thread_local RawSample raw;
  source_->read(index, {}, raw);
  ConversionSample sample;
  for (const Column& column : columns_) {
    const RawField* const field = find_picture(raw, column.raw_name);
    if (field == nullptr)
      throw DataError(describe(index), fmt::format("it has no field '{}'", column.raw_name));
    column.plan.convert(*field, sample);
  }
  if (raw.fields().size() != columns_.size())
    throw DataError(describe(index), fmt::format("it has the fields {}: more than others", names_of(raw)));
  if (!has_key_) return sample;
  const std::string key = utf8_name(source_->key(index));
  const auto key_bytes = std::as_bytes(std::span(key));
  sample.fields.emplace_back(key_bytes.begin(), key_bytes.end());
  return sample;
}

}  // namespace leat
