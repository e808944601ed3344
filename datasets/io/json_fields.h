// Access to members of JSON objects that came from a file. Only sources include this header: nlohmann's header stays
// out of public ones.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace leat::detail {

// Each throws DataError naming `source` and the key if the member is missing or has another type.
const nlohmann::json& member(const nlohmann::json& object, const char* key, const std::string& source);
std::string string_member(const nlohmann::json& object, const char* key, const std::string& source);
std::uint64_t number_member(const nlohmann::json& object, const char* key, const std::string& source);
const nlohmann::json& array_member(const nlohmann::json& object, const char* key, const std::string& source);

// Parses the text as JSON. Throws DataError naming `source`.
nlohmann::json parse_json(std::string_view text, const std::string& source);

// Parses the text, which must be one object. Throws DataError starting with `source`.
nlohmann::json parse_json_object(std::string_view text, const std::string& source);

// Returns the text of a value, without white space. Throws ArgumentError if a string is not UTF-8.
std::string to_text(const nlohmann::json& value);

}  // namespace leat::detail
