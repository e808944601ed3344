#include "leat/datasets/io/json_fields.h"

#include <fmt/format.h>

#include "leat/datasets/errors.h"

namespace leat::detail {

using nlohmann::json;

const json& member(const json& object, const char* key, const std::string& source) {
  if (!object.is_object()) throw DataError(source, fmt::format("an object with '{}' is expected", key));
  const auto found = object.find(key);
  if (found == object.end()) throw DataError(source, fmt::format("'{}' is missing", key));
  return *found;
}

std::string string_member(const json& object, const char* key, const std::string& source) {
  const json& value = member(object, key, source);
  if (!value.is_string()) throw DataError(source, fmt::format("'{}' is no string", key));
  return value.get<std::string>();
}

std::uint64_t number_member(const json& object, const char* key, const std::string& source) {
  const json& value = member(object, key, source);
  if (!value.is_number_unsigned()) throw DataError(source, fmt::format("'{}' is no number from 0 on", key));
  return value.get<std::uint64_t>();
}

const json& array_member(const json& object, const char* key, const std::string& source) {
  const json& value = member(object, key, source);
  if (!value.is_array()) throw DataError(source, fmt::format("'{}' is no array", key));
  return value;
}

json parse_json(std::string_view text, const std::string& source) {
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    throw DataError(source, error.what());
  }
}

json parse_json_object(std::string_view text, const std::string& source) {
  json object = json::parse(text, nullptr, false);
  if (!object.is_object()) throw DataError(source, "it is no JSON object");
  return object;
}

std::string to_text(const json& value) {
  try {
    return value.dump();
  } catch (const json::type_error& error) {
    throw ArgumentError(fmt::format("a name cannot be written as JSON: {}", error.what()));
  }
}

}  // namespace leat::detail
