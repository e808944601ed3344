// Combinations of datasets as JSON (docs/dataset-spec.md, "Combinations").
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "leat/datasets/dataset_ref.h"
#include "leat/datasets/io/spec_reader.h"
#include "leat/datasets/zip.h"

namespace leat::detail {

// Each returns nullopt if one of its datasets has no description.
std::optional<std::string> subset_spec(const Dataset& dataset, std::span<const std::size_t> indices);
std::optional<std::string> repeat_spec(const Dataset& dataset, std::size_t times);
std::optional<std::string> cache_spec(const Dataset& dataset, std::size_t bytes, std::uint64_t seed);
std::optional<std::string> concat_spec(std::span<const DatasetRef> datasets);
std::optional<std::string> zip_spec(std::span<const Zip::Part> parts);

// Opens the dataset that an object or a URI in a description stands for. `place` names it in errors.
using OpenNested =
    std::function<std::shared_ptr<const Dataset>(const nlohmann::json& spec, const std::string& place)>;

// Returns null if the object is not a combination. Throws ArgumentError.
std::unique_ptr<Dataset> open_combinator(SpecReader& reader, const OpenNested& open);

}  // namespace leat::detail
