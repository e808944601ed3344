#include "leat/datasets/open.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/find_source.h"
#include "leat/datasets/formats/registry.h"
#include "leat/datasets/image_dataset.h"
#include "leat/datasets/io/spec_reader.h"
#include "leat/datasets/record_dataset.h"
#include "leat/datasets/spec/combinator_spec.h"
#include "leat/datasets/spec/image_spec.h"
#include "leat/datasets/spec/token_spec.h"
#include "leat/datasets/token_windows.h"

namespace leat {

using namespace detail;

namespace {

using nlohmann::json;

constexpr std::string_view kTokens = "tokens:";
constexpr int kVersion = 1;
constexpr const char* kPlace = "dataset spec";
constexpr std::size_t kMaxDepth = 64;  // of nested combinations of datasets

// Calls `open`. Adds the place to the message of an ArgumentError about parameters.
template <class Open>
auto at_place(const std::string& place, const Open& open) {
  try {
    return open();
  } catch (const ArgumentError& error) {
    const std::string what = error.what();
    throw ArgumentError(what.starts_with(kPlace) ? what : place + ": " + what);
  }
}

// A URI is short for an object with only this source.
json parse(const std::string& spec) {
  const std::size_t first = spec.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && spec[first] == '{') return parse_spec(spec);
  return {{"source", spec}};
}

void check_version(SpecReader& reader) {
  int version = kVersion;
  reader.read("version", version);
  if (version != kVersion)
    reader.refuse("version", fmt::format("it is {}; this leat reads version {}", version, kVersion));
}

json read_options(SpecReader& reader) {
  const json* const options = reader.find("options");
  if (options == nullptr) return json::object();
  if (!options->is_object())
    reader.refuse("options", fmt::format("it is {}, not an object", options->type_name()));
  return *options;
}

std::vector<NamedSource> find(const SpecReader& reader, const std::string& uri, const std::string& split) {
  try {
    return find_sources(uri, split.empty() ? std::nullopt : std::optional(split));
  } catch (const ArgumentError& error) {
    reader.refuse("source", error.what());
  }
}

// The dataset that the keys "source", "split" and "options" name. There must be exactly one.
SourceLocation read_location(SpecReader& reader, const WarningHandler& on_warning) {
  const auto uri = reader.read_required<std::string>("source");
  std::string split;
  reader.read("split", split);
  std::vector<NamedSource> sources = find(reader, uri, split);
  if (sources.size() > 1) {
    std::vector<std::string> names;
    for (const NamedSource& each : sources) names.push_back(each.split);
    reader.refuse("source", fmt::format("'{}' has the splits {}: say which one, by \"split\"", uri,
                                        fmt::join(names, ", ")));
  }
  SourceLocation location = std::move(sources.front().location);
  location.options = read_options(reader);
  location.options_place = reader.place_of("options");
  location.on_warning = on_warning;
  return location;
}

std::unique_ptr<Dataset> open_tokens(const std::string& path, const std::string& place, SpecReader& reader,
                                     const WarningHandler& on_warning) {
  const json options = read_options(reader);
  SpecReader how(options, reader.place_of("options"));
  TokenOptions token_options = read_token_options(how, on_warning);
  how.finish();
  reader.finish();
  if (path.empty()) reader.refuse("source", "no path follows 'tokens:'");
  return at_place(place, [&] { return std::make_unique<TokenWindows>(path, std::move(token_options)); });
}

std::unique_ptr<Dataset> open_stored(const std::string& place, SpecReader& reader,
                                     const WarningHandler& on_warning) {
  std::string uri;
  reader.read("source", uri);
  if (uri.starts_with(kTokens)) return open_tokens(uri.substr(kTokens.size()), place, reader, on_warning);
  const SourceLocation location = read_location(reader, on_warning);
  auto images = read_image_spec(reader);
  reader.finish();
  if (!images && location.format == SourceFormat::records) {
    SpecReader(location.options, location.options_place).finish();
    return std::make_unique<RecordDataset>(location.where);
  }
  if (!images) images.emplace();
  return std::make_unique<ImageDataset>(detail::open_source(location), std::move(images->transforms),
                                        images->options);
}

std::unique_ptr<Dataset> open_object(const json& object, const std::string& place, std::size_t depth,
                                     const WarningHandler& on_warning) {
  if (depth == kMaxDepth)
    throw ArgumentError(fmt::format("{}: combinations are nested more than {} deep", kPlace, kMaxDepth));
  if (object.is_string()) {
    const json with_source{{"source", object}};
    return open_object(with_source, place, depth + 1, on_warning);
  }
  SpecReader reader(object, place);
  check_version(reader);
  const auto open_nested = [&](const json& nested,
                               const std::string& nested_place) -> std::shared_ptr<const Dataset> {
    return open_object(nested, nested_place, depth + 1, on_warning);
  };
  if (auto combined = at_place(place, [&] { return open_combinator(reader, open_nested); })) {
    reader.finish();
    return combined;
  }
  return open_stored(place, reader, on_warning);
}

}  // namespace

std::unique_ptr<Dataset> open_dataset(const std::string& spec, const WarningHandler& on_warning) {
  return open_object(parse(spec), kPlace, 0, on_warning);
}

std::shared_ptr<const SampleSource> open_source(const std::string& spec, const WarningHandler& on_warning) {
  const json object = parse(spec);
  SpecReader reader(object, kPlace);
  check_version(reader);
  const SourceLocation location = read_location(reader, on_warning);
  reader.finish();
  return detail::open_source(location);
}

}  // namespace leat
