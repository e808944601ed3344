// The JSON that leat-convert's commands print with --json. File names need not be UTF-8; invalid bytes become U+FFFD.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "tools/convert/conversion.h"

namespace leat::tools {

std::string json_text(const nlohmann::ordered_json& json);

// Returns null if the name is empty, because there is no split.
nlohmann::ordered_json split_json(const std::string& split);

// {"command": "convert", "source", "destination", "format": "leat" | "webdataset" | "mds", "sets": [{
//    "split" (null without splits), "finished_before", "samples", "resumed", "shards", "read_bytes", "written_bytes",
//    "seconds", "compression", "skipped": [{"index", "source", "reason"}], "warnings": [sentence]}]}
// If finished_before is true, an earlier run did all the work, and the figures are 0.
std::string to_json(const ConvertOptions& options, std::span<const ConversionResult> results);

}  // namespace leat::tools
