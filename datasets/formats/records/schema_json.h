// Schemas of records as JSON: the form that shards and manifests hold (docs/record-format.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "leat/datasets/record_schema.h"

namespace leat::detail {

// Adds "fields", and "classes" where there are any, to the object.
void write_schema(const RecordSchema& schema, nlohmann::json& object);

// Throws DataError starting with `source` where something is missing, of another kind, or against the rules.
RecordSchema read_schema(const nlohmann::json& object, const std::string& source);

}  // namespace leat::detail
