#include "leat/loader/loader_state.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "leat/datasets/errors.h"

namespace leat {

namespace {

using nlohmann::json;

constexpr const char* kVersionKey = "leat_loader_state";

[[noreturn]] void refuse(const std::string& why) {
  throw DataError("the loader state", why);
}

std::uint64_t number(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) refuse(fmt::format("'{}' is missing", key));
  if (!found->is_number_unsigned())
    refuse(fmt::format("'{}' is {}, not a number from 0 on", key, found->dump()));
  return found->get<std::uint64_t>();
}

std::size_t batch_number(const std::string& key) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), value);
  if (error != std::errc() || end != key.data() + key.size() || key.empty()) {
    refuse(fmt::format("'ahead' has the key '{}', which is no number of a batch", key));
  }
  return value;
}

std::map<std::size_t, std::size_t> ahead_of(const json& object) {
  const auto found = object.find("ahead");
  if (found == object.end() || !found->is_object()) refuse("'ahead' is missing, or no object");
  std::map<std::size_t, std::size_t> ahead;
  for (const auto& [key, rows] : found->items()) ahead[batch_number(key)] = number(*found, key.c_str());
  return ahead;
}

PositionSet positions_of(const json& object) {
  const auto found = object.find("consumed");
  if (found == object.end() || !found->is_array()) refuse("'consumed' is missing, or not an array");
  std::vector<PositionSet::Interval> intervals;
  for (const json& pair : *found) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned() ||
        !pair[1].is_number_unsigned()) {
      refuse(fmt::format("'consumed' holds {}, not a pair of positions", pair.dump()));
    }
    intervals.push_back({pair[0].get<std::size_t>(), pair[1].get<std::size_t>()});
  }
  try {
    return PositionSet(std::move(intervals));
  } catch (const ArgumentError& error) {
    refuse(fmt::format("'consumed': {}", error.what()));
  }
}

LoaderState::Earlier earlier_of(const json& object) {
  const auto found = object.find("earlier");
  if (found == object.end() || !found->is_object()) refuse("'earlier' is missing, or not an object");
  return {positions_of(*found), number(*found, "batches"), number(*found, "samples")};
}

std::string text(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string())
    refuse(fmt::format("'{}' is missing, or not a string", key));
  return found->get<std::string>();
}

json parse(const std::string& text) {
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    refuse(error.what());
  }
}

json to_json(const PositionSet& positions) {
  json intervals = json::array();
  for (const auto& [first, last] : positions.intervals()) intervals.push_back(json::array({first, last}));
  return intervals;
}

}  // namespace

std::string LoaderState::to_json() const {
  json beyond = json::object();
  for (const auto& [batch, rows] : ahead) beyond[std::to_string(batch)] = rows;
  const nlohmann::ordered_json before{{"consumed", leat::to_json(earlier.consumed)},
                                      {"batches", earlier.batches},
                                      {"samples", earlier.samples}};
  const nlohmann::ordered_json object{
      {kVersionKey, kVersion},    {"epoch", epoch},  {"batches", batches},
      {"samples", samples},       {"ahead", beyond}, {"earlier", before},
      {"order", order},           {"seed", seed},    {"dataset_size", dataset_size},
      {"world_size", world_size}, {"rank", rank},    {"batch_size", batch_size}};
  try {
    return object.dump();
  } catch (const json::exception& error) {
    throw ArgumentError(
        fmt::format("the fingerprint of the order cannot be written as JSON: {}", error.what()));
  }
}

LoaderState LoaderState::from_json(const std::string& text) {
  const json object = parse(text);
  if (!object.is_object()) refuse("it is not a JSON object");
  const std::uint64_t version = number(object, kVersionKey);
  if (version != kVersion) refuse(fmt::format("its version is {}; this program reads {}", version, kVersion));
  return {.epoch = number(object, "epoch"),
          .batches = number(object, "batches"),
          .samples = number(object, "samples"),
          .ahead = ahead_of(object),
          .earlier = earlier_of(object),
          .order = leat::text(object, "order"),
          .seed = number(object, "seed"),
          .dataset_size = number(object, "dataset_size"),
          .world_size = number(object, "world_size"),
          .rank = number(object, "rank"),
          .batch_size = number(object, "batch_size")};
}

}  // namespace leat
