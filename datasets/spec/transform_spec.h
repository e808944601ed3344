// Transforms as JSON (docs/dataset-spec.md, "Transforms").
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "leat/datasets/transforms.h"

namespace leat::detail {

// An array of objects.
nlohmann::json to_json(const TransformPipeline& transforms);

// Throws ArgumentError that names the place in what is called `place`.
TransformPipeline transforms_from(const nlohmann::json& array, const std::string& place);

}  // namespace leat::detail
