// Windows of tokens as JSON (docs/dataset-spec.md, "Tokens").
#pragma once

#include <optional>
#include <string>

#include "leat/datasets/io/spec_reader.h"
#include "leat/datasets/token_windows.h"

namespace leat::detail {

// Returns nullopt if a path is not UTF-8.
std::optional<std::string> token_spec(const std::string& path, const TokenOptions& options);

TokenOptions read_token_options(SpecReader& reader, const WarningHandler& on_warning);

}  // namespace leat::detail
