#include "leat/datasets/formats/records/schema_json.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/io/json_fields.h"

namespace leat::detail {

namespace {

using nlohmann::json;

constexpr std::array kDTypes{DType::u8,  DType::i8,  DType::u16,    DType::i16, DType::u32,
                             DType::i32, DType::u64, DType::i64,    DType::f16, DType::bf16,
                             DType::f32, DType::f64, DType::boolean};
constexpr std::array kContents{Content::values, Content::text, Content::bytes, Content::jpeg, Content::rgb};

// Returns the element of `all` that the member names.
template <class T, std::size_t N>
T read_named(const json& object, const char* key, const std::array<T, N>& all, const std::string& source) {
  const std::string name = string_member(object, key, source);
  for (const T value : all) {
    if (name_of(value) == name) return value;
  }
  throw DataError(source, fmt::format("'{}' is no {} that is known", name, key));
}

std::size_t as_count(const json& value, const char* what, const std::string& source) {
  if (!value.is_number_unsigned()) {
    throw DataError(source, fmt::format("{} is no integer from 0 to 2^64 - 1", what));
  }
  return value.get<std::size_t>();
}

RecordField read_field(const json& object, const std::string& source) {
  if (!object.is_object()) throw DataError(source, "a field is no JSON object");
  RecordField field;
  field.field.name = string_member(object, "name", source);
  field.field.dtype = read_named(object, "dtype", kDTypes, source);
  for (const json& extent : array_member(object, "shape", source)) {
    field.field.shape.push_back(as_count(extent, "an extent of a shape", source));
  }
  if (object.contains("max_length")) field.field.max_length = number_member(object, "max_length", source);
  field.content = read_named(object, "content", kContents, source);
  return field;
}

std::vector<std::string> read_classes(const json& object, const std::string& source) {
  std::vector<std::string> classes;
  if (!object.contains("classes")) return classes;
  for (const json& name : array_member(object, "classes", source)) {
    if (!name.is_string()) throw DataError(source, "a class's name is no text");
    classes.push_back(name.get<std::string>());
  }
  return classes;
}

}  // namespace

void write_schema(const RecordSchema& schema, json& object) {
  json fields = json::array();
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const Field& field = schema.fields()[i];
    json entry{{"name", field.name},
               {"dtype", name_of(field.dtype)},
               {"shape", field.shape},
               {"content", name_of(schema.content(i))}};
    if (field.is_ragged()) entry["max_length"] = *field.max_length;
    fields.push_back(std::move(entry));
  }
  object["fields"] = std::move(fields);
  if (!schema.classes().empty()) object["classes"] = schema.classes();
}

RecordSchema read_schema(const json& object, const std::string& source) {
  std::vector<RecordField> fields;
  for (const json& field : array_member(object, "fields", source)) {
    if (fields.size() == Schema::kMaxFields) throw DataError(source, "it has too many fields");
    fields.push_back(read_field(field, source));
  }
  try {
    return RecordSchema(std::move(fields), read_classes(object, source));
  } catch (const ArgumentError& error) {
    throw DataError(source, error.what());
  }
}

}  // namespace leat::detail
