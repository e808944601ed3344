// Schemas of records as JSON, as shards and manifests hold them (docs/record-format.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "leat/datasets/record_schema.h"

namespace leat::detail {

// Adds "fields" to the object, and "classes" if there are any.
void write_schema(const RecordSchema& schema, nlohmann::json& object);

// Throws DataError starting with `source` if a member is missing, has the wrong type, or breaks a rule.
RecordSchema read_schema(const nlohmann::json& object, const std::string& source);

}  // namespace leat::detail
