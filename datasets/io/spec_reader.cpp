#include "leat/datasets/io/spec_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_set>

#include "leat/datasets/errors.h"

namespace leat::detail {

std::optional<std::string> spec_text(const nlohmann::json& object) {
  try {
    return object.dump();
  } catch (const nlohmann::json::type_error&) {
    return std::nullopt;
  }
}

nlohmann::json parse_spec(const std::string& text) {
  using Event = nlohmann::json::parse_event_t;
  std::vector<std::unordered_set<std::string>> keys;  // of the enclosing objects, outermost first
  const auto check = [&](int, Event event, nlohmann::json& value) {
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(value.get<std::string>()).second)
      throw ArgumentError(
          fmt::format("dataset spec: '{}' stands twice in one object", value.get<std::string>()));
    return true;
  };
  try {
    nlohmann::json object = nlohmann::json::parse(text, check);
    if (object.is_object()) return object;
  } catch (const nlohmann::json::exception& error) {
    throw ArgumentError(fmt::format("dataset spec: it is not JSON: {}", error.what()));
  }
  throw ArgumentError("dataset spec: it is not a JSON object: " + text);
}

SpecReader::SpecReader(const nlohmann::json& object, std::string place)
    : object_(&object), place_(std::move(place)) {
  if (!object.is_object())
    throw ArgumentError(fmt::format("{}: it is {}, not an object", place_, object.type_name()));
}

const nlohmann::json* SpecReader::find(const char* key) {
  if (std::ranges::find(known_, key) == known_.end()) known_.emplace_back(key);
  const auto found = object_->find(key);
  return found == object_->end() ? nullptr : &*found;
}

const nlohmann::json& SpecReader::require(const char* key) {
  if (const nlohmann::json* const member = find(key)) return *member;
  throw ArgumentError(fmt::format("{}: '{}' is missing", place_, key));
}

void SpecReader::read(const char* key, std::string& value) {
  const nlohmann::json* const member = find(key);
  if (member == nullptr) return;
  if (!member->is_string()) refuse(key, fmt::format("it is {}, not a string", member->type_name()));
  value = member->get<std::string>();
  if (value.find('\0') != std::string::npos) refuse(key, "it holds a zero byte");
}

void SpecReader::read(const char* key, bool& value) {
  const nlohmann::json* const member = find(key);
  if (member == nullptr) return;
  if (!member->is_boolean()) refuse(key, fmt::format("it is {}, not true or false", member->type_name()));
  value = member->get<bool>();
}

void SpecReader::read(const char* key, double& value) {
  const nlohmann::json* const member = find(key);
  if (member == nullptr) return;
  if (!member->is_number()) refuse(key, fmt::format("it is {}, not a number", member->type_name()));
  value = member->get<double>();
}

std::string SpecReader::place_of(std::string_view key) const {
  return place_ + "." + std::string(key);
}

void SpecReader::refuse(std::string_view key, std::string_view problem) const {
  throw ArgumentError(fmt::format("{}: {}", place_of(key), problem));
}

void SpecReader::refuse_range(const char* key, std::int64_t least, std::uint64_t most) const {
  refuse(key, fmt::format("it is not a whole number from {} to {}", least, most));
}

void SpecReader::finish() const {
  for (const auto& member : object_->items()) {
    if (std::ranges::find(known_, member.key()) != known_.end()) continue;
    if (known_.empty())
      throw ArgumentError(fmt::format("{}: '{}' is not known; there are no keys", place_, member.key()));
    throw ArgumentError(
        fmt::format("{}: '{}' is not known; known are {}", place_, member.key(), fmt::join(known_, ", ")));
  }
}

}  // namespace leat::detail
