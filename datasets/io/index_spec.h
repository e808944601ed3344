// Options for the storage of indexes as JSON (docs/dataset-spec.md, "Options").
#pragma once

#include "leat/datasets/index_options.h"
#include "leat/datasets/io/spec_reader.h"

namespace leat::detail {

// Reads the keys "index" and "index_folder".
IndexOptions read_index_options(SpecReader& reader, const WarningHandler& on_warning);

// Adds the keys whose values are not the defaults.
void write_index_options(const IndexOptions& options, nlohmann::json& object);

}  // namespace leat::detail
