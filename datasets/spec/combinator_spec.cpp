#include "leat/datasets/spec/combinator_spec.h"

#include <fmt/format.h>

#include <vector>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/base/memory_limits.h"
#include "leat/datasets/cache.h"
#include "leat/datasets/concat.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/repeat.h"
#include "leat/datasets/subset.h"

namespace leat::detail {

namespace {

using nlohmann::json;

// Returns a description in the form that it has within another one.
std::optional<json> nested(const Dataset& dataset) {
  const auto spec = dataset.spec();
  if (!spec) return std::nullopt;
  json object = parse_spec(*spec);
  if (object.value("version", json(1)) != json(1))
    throw ArgumentError("the spec() of a dataset is of another version: " + *spec);
  object.erase("version");
  return object;
}

// Writes runs of indices that rise by one as [first, count].
json to_json(std::span<const std::size_t> indices) {
  json array = json::array();
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t count = 1;
    while (i + count < indices.size() && indices[i + count] == indices[i] + count) ++count;
    array.push_back(count == 1 ? json(indices[i]) : json::array({indices[i], count}));
    i += count;
  }
  return array;
}

std::vector<std::size_t> read_indices(const SpecReader& reader, const json& array, std::size_t samples) {
  const auto refuse = [&](std::size_t i) {
    reader.refuse("indices", fmt::format("element {} is neither an index nor [first, count]", i));
  };
  if (!array.is_array()) reader.refuse("indices", fmt::format("it is {}, not an array", array.type_name()));
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const json& each = array[i];
    const bool is_run =
        each.is_array() && each.size() == 2 && each[0].is_number_unsigned() && each[1].is_number_unsigned();
    if (!is_run && !each.is_number_unsigned()) refuse(i);
    const auto first = (is_run ? each[0] : each).get<std::size_t>();
    const auto count = is_run ? each[1].get<std::size_t>() : 1;
    if (first >= samples || count > samples - first) {
      reader.refuse("indices", fmt::format("element {} is not among the {} samples there are", i, samples));
    }
    const std::size_t bytes = checked_multiply(checked_add(indices.size(), count), sizeof(std::size_t));
    if (const MemoryLimit limit = memory_limit(); bytes > limit.bytes)
      throw memory_error("the indices of a subset", bytes, limit);
    for (std::size_t k = 0; k < count; ++k) indices.push_back(first + k);
  }
  return indices;
}

std::unique_ptr<Dataset> open_subset(SpecReader& reader, const OpenNested& open) {
  const auto dataset = open(reader.require("subset"), reader.place_of("subset"));
  return std::make_unique<Subset>(dataset, read_indices(reader, reader.require("indices"), dataset->size()));
}

std::unique_ptr<Dataset> open_repeat(SpecReader& reader, const OpenNested& open) {
  const auto times = reader.read_required<std::size_t>("times");
  return std::make_unique<Repeat>(open(reader.require("repeat"), reader.place_of("repeat")), times);
}

std::unique_ptr<Dataset> open_cache(SpecReader& reader, const OpenNested& open) {
  const auto bytes = reader.read_required<std::size_t>("bytes");
  CacheOptions options;
  reader.read("seed", options.seed);
  return std::make_unique<Cache>(open(reader.require("cache"), reader.place_of("cache")), bytes, options);
}

// Calls `take` with each element of the array and its place.
template <class Take>
void for_each(SpecReader& reader, const char* key, const Take& take) {
  const json& array = reader.require(key);
  if (!array.is_array()) reader.refuse(key, fmt::format("it is {}, not an array", array.type_name()));
  for (std::size_t i = 0; i < array.size(); ++i)
    take(array[i], fmt::format("{}[{}]", reader.place_of(key), i));
}

std::unique_ptr<Dataset> open_concat(SpecReader& reader, const OpenNested& open) {
  std::vector<DatasetRef> datasets;
  for_each(reader, "concat",
           [&](const json& each, const std::string& place) { datasets.emplace_back(open(each, place)); });
  return std::make_unique<Concat>(std::move(datasets));
}

std::unique_ptr<Dataset> open_zip(SpecReader& reader, const OpenNested& open) {
  std::vector<Zip::Part> parts;
  for_each(reader, "zip", [&](const json& each, const std::string& place) {
    SpecReader part(each, place);
    std::string prefix;
    part.read("prefix", prefix);
    parts.emplace_back(DatasetRef(open(part.require("dataset"), part.place_of("dataset"))), prefix);
    part.finish();
  });
  return std::make_unique<Zip>(std::move(parts));
}

}  // namespace

std::optional<std::string> subset_spec(const Dataset& dataset, std::span<const std::size_t> indices) {
  const auto inner = nested(dataset);
  if (!inner) return std::nullopt;
  return spec_text(json{{"version", 1}, {"subset", *inner}, {"indices", to_json(indices)}});
}

std::optional<std::string> repeat_spec(const Dataset& dataset, std::size_t times) {
  const auto inner = nested(dataset);
  if (!inner) return std::nullopt;
  return spec_text(json{{"version", 1}, {"repeat", *inner}, {"times", times}});
}

std::optional<std::string> cache_spec(const Dataset& dataset, std::size_t bytes, std::uint64_t seed) {
  const auto inner = nested(dataset);
  if (!inner) return std::nullopt;
  return spec_text(json{{"version", 1}, {"cache", *inner}, {"bytes", bytes}, {"seed", seed}});
}

std::optional<std::string> concat_spec(std::span<const DatasetRef> datasets) {
  json array = json::array();
  for (const DatasetRef& dataset : datasets) {
    auto inner = nested(*dataset);
    if (!inner) return std::nullopt;
    array.push_back(std::move(*inner));
  }
  return spec_text(json{{"version", 1}, {"concat", array}});
}

std::optional<std::string> zip_spec(std::span<const Zip::Part> parts) {
  json array = json::array();
  for (const Zip::Part& part : parts) {
    auto inner = nested(*part.dataset);
    if (!inner) return std::nullopt;
    json object{{"dataset", std::move(*inner)}};
    if (!part.prefix.empty()) object["prefix"] = part.prefix;
    array.push_back(std::move(object));
  }
  return spec_text(json{{"version", 1}, {"zip", array}});
}

std::unique_ptr<Dataset> open_combinator(SpecReader& reader, const OpenNested& open) {
  if (reader.has("subset")) return open_subset(reader, open);
  if (reader.has("repeat")) return open_repeat(reader, open);
  if (reader.has("cache")) return open_cache(reader, open);
  if (reader.has("concat")) return open_concat(reader, open);
  if (reader.has("zip")) return open_zip(reader, open);
  return nullptr;
}

}  // namespace leat::detail
