// Schemas of records as JSON: the form that shards and manifests hold (docs/record-format.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "leat/datasets/records/record_schema.h"

namespace leat {

// Adds "fields", and "classes" where there are any, to the object.
void write_schema(const RecordSchema& schema, nlohmann::json& object);

// Throws DataError starting with `source` where something is missing, of another kind, or against the rules.
RecordSchema read_schema(const nlohmann::json& object, const std::string& source);

// The text, which must be one JSON object. Throws DataError starting with `source`.
nlohmann::json parse_json_object(std::string_view text, const std::string& source);

// Without white space. Throws ArgumentError where a string is not UTF-8.
std::string to_text(const nlohmann::json& value);

// A non-negative integer member. Throws DataError starting with `source`.
std::uint64_t read_count(const nlohmann::json& object, const char* key, const std::string& source);
std::string read_string(const nlohmann::json& object, const char* key, const std::string& source);

}  // namespace leat
