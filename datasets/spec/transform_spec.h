// Transforms as JSON (docs/dataset-spec.md, "Transforms").
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "leat/datasets/transforms.h"

namespace leat::detail {

// Returns an array of objects.
nlohmann::json to_json(const TransformPipeline& transforms);

// Reads such an array. Throws ArgumentError naming the place; `place` stands for the array.
TransformPipeline transforms_from(const nlohmann::json& array, const std::string& place);

}  // namespace leat::detail
