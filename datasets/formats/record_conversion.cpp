#include "leat/datasets/formats/record_conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/image_fields.h"
#include "leat/datasets/formats/image_names.h"
#include "leat/datasets/io/byte_writer.h"
#include "leat/datasets/io/utf8.h"
#include "leat/datasets/io/xxh3.h"

namespace leat::detail {

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

// Whether the names are the same, or one of them would be a field and also the group of the other.
bool clash(std::string_view a, std::string_view b) {
  const auto is_group = [](std::string_view group, std::string_view name) {
    return name.size() > group.size() && name.starts_with(group) && name[group.size()] == '.';
  };
  return a == b || is_group(a, b) || is_group(b, a);
}

std::string names_of(const StoredSample& sample) {
  std::string names;
  for (const StoredField& field : sample.fields()) names += (names.empty() ? "" : ", ") + field.name;
  return names;
}

std::string names_of(const RecordSchema& schema) {
  std::string names;
  for (std::size_t i = 0; i < schema.size(); ++i)
    names += (names.empty() ? "" : ", ") + schema.fields()[i].name;
  return names;
}

// Whether the field is called image and has the dtype and shape of RGB pixels.
bool is_rgb_array(const RecordField& field) {
  const Field& array = field.field;
  return field.content == Content::values && array.name == "image" && array.dtype == DType::u8 &&
         !array.is_ragged() && array.shape.size() == 3 && array.shape[2] == 3;
}

void update(Xxh3Stream& checksum, std::string_view text) {
  checksum.update(std::as_bytes(std::span(text)));
}

// Adds the header that pixels have in MDS. It was part of the bytes once: conversions that began then can be resumed.
void update_head(Xxh3Stream& checksum, const Encoding& encoding) {
  if (encoding.kind != Encoding::pixels || encoding.shape.size() != 3) return;
  const std::string_view mode = encoding.shape[2] == 1 ? "L" : "RGB";
  std::vector<std::byte> head;
  append_little(head, static_cast<std::uint32_t>(encoding.shape[1]));
  append_little(head, static_cast<std::uint32_t>(encoding.shape[0]));
  append_little(head, static_cast<std::uint32_t>(mode.size()));
  append_text(head, mode);
  checksum.update(head);
}

void parse(const StoredSample& sample, std::vector<StoredValue>& values) {
  values.clear();
  for (const StoredField& field : sample.fields()) values.push_back(parse_value(field));
}

}  // namespace

RecordConversion::RecordConversion(std::shared_ptr<const SampleSource> source,
                                   const RecordConversionOptions& options)
    : source_(std::move(source)) {
  if (source_->schema() != nullptr) {
    take_schema(options);
  } else {
    infer_schema(options);
  }
}

void RecordConversion::take_schema(const RecordConversionOptions& options) {
  schema_ = *source_->schema();
  if (options.image_field.empty() || schema_.find(options.image_field)) return;
  throw ArgumentError(
      fmt::format("there is no field '{}'; there are: {}", options.image_field, names_of(schema_)));
}

void RecordConversion::infer_schema(const RecordConversionOptions& options) {
  if (source_->size() == 0) throw ArgumentError("there are no samples, so no fields to learn from them");
  look_at_all(options);
  std::vector<RecordField> fields = make_fields();
  const bool labeled = std::ranges::any_of(fields, [](const RecordField& field) {
    return field.field.name == "label" && field.field.dtype == DType::i64;
  });
  schema_ = RecordSchema(std::move(fields), labeled ? source_->classes() : std::vector<std::string>());
}

std::uint64_t RecordConversion::fingerprint() const {
  return source_->fingerprint().value_or(contents_);
}

void RecordConversion::look_at_all(const RecordConversionOptions& options) {
  StoredSample sample;
  std::vector<StoredValue> values;
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
    for (const StoredField& field : sample.fields()) {
      update(contents, field.name);
      update_head(contents, field.encoding);
      contents.update(field.bytes());
    }
  }
  if (options.on_progress) options.on_progress(size());
  contents_ = contents.digest();
  if (columns_.empty()) throw first_error.value_or(DataError(describe(0), "no sample has any field"));
}

void RecordConversion::begin(const StoredSample& sample, const std::string& image_field) {
  for (const StoredField& field : sample.fields()) columns_.push_back({field.name, field.name});
  const ImageFields guess = guess_image_fields(sample);
  image_ = image_field.empty() ? guess.image : image_field;
  if (!image_field.empty() && std::ranges::find(columns_, image_, &Column::stored_name) == columns_.end())
    throw ArgumentError(fmt::format("there is no field '{}'; there are: {}", image_, names_of(sample)));
  label_ = guess.label;
}

// Returns the field's column. For an image, this may be the column of another kind of file that the sample does not
// have.
std::vector<RecordConversion::Column>::iterator RecordConversion::find_column(const StoredSample& sample,
                                                                              const std::string& name) {
  auto column = std::ranges::find(columns_, name, &Column::stored_name);
  for (const std::string& other : other_image_names(name)) {
    if (column != columns_.end()) break;
    if (sample.find(other) == nullptr) column = std::ranges::find(columns_, other, &Column::stored_name);
  }
  return column;
}

void RecordConversion::add(std::size_t index, const StoredSample& sample,
                           const std::vector<StoredValue>& values) {
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
      column->inference.add(values[i]);
    } catch (const ArgumentError& error) {
      throw DataError(describe(index), fmt::format("field '{}': {}", name, error.what()));
    }
  }
}

bool RecordConversion::is_free(const std::string& name, const Column& wanted_by) const {
  return std::ranges::none_of(columns_, [&](const Column& other) {
    return &other != &wanted_by && (clash(name, other.name) || clash(name, other.stored_name));
  });
}

std::string RecordConversion::usual_name(Column& column, bool has_image) const {
  const std::string& raw = column.stored_name;
  if (raw == image_ && column.inference.is_image()) return "image";
  const bool may_be_label = raw == label_ && (has_image || raw == "cls" || raw == "label");
  if (may_be_label && column.inference.make_label()) return "label";
  return name_without_suffix(raw);
}

std::vector<RecordField> RecordConversion::make_fields() {
  const bool has_image = std::ranges::any_of(columns_, [this](const Column& column) {
    return column.stored_name == image_ && column.inference.is_image();
  });
  for (Column& column : columns_) {
    std::string name = usual_name(column, has_image);
    if (is_free(name, column)) column.name = std::move(name);
  }
  std::vector<RecordField> fields;
  for (const Column& column : columns_) column.inference.append_fields(column.name, fields);
  for (RecordField& field : fields) {
    if (is_rgb_array(field)) field.content = Content::rgb;
  }
  has_key_ = longest_key_ != 0 && std::ranges::find(columns_, "name", &Column::name) == columns_.end();
  if (has_key_) fields.push_back({Field::text("name", longest_key_), Content::text});
  return fields;
}

Record RecordConversion::read(std::size_t index) const {
  StoredSample sample;
  source_->read(index, {}, sample);
  if (!columns_.empty()) return converted(index, sample);
  Record record;
  for (std::size_t field = 0; field < schema_.size(); ++field) {
    const std::string& name = schema_.fields()[field].name;
    if (field >= sample.fields().size() || sample.fields()[field].name != name)
      throw DataError(describe(index),
                      fmt::format("its field {} is not '{}', as the source's schema has it", field, name));
    record.fields.push_back(sample.release(field));
  }
  return record;
}

Record RecordConversion::converted(std::size_t index, const StoredSample& sample) const {
  Record record;
  for (const Column& column : columns_) {
    const StoredField* const field = find_image(sample, column.stored_name);
    if (field == nullptr)
      throw DataError(describe(index), fmt::format("it has no field '{}'", column.stored_name));
    column.inference.convert(*field, record);
  }
  if (sample.fields().size() != columns_.size())
    throw DataError(describe(index), fmt::format("it has the fields {}: more than others", names_of(sample)));
  if (!has_key_) return record;
  const std::string key = utf8_name(source_->key(index));
  const auto key_bytes = std::as_bytes(std::span(key));
  record.fields.emplace_back(key_bytes.begin(), key_bytes.end());
  return record;
}

}  // namespace leat::detail
