// What leat-convert can read.
#pragma once

#include <filesystem>
#include <memory>

#include "datasets/shards/conversion_source.h"

namespace leat::tools {

// leat records (a folder with their manifest, or one shard) or an image folder. Throws UsageError where it is neither.
std::unique_ptr<ConversionSource> open_source(const std::filesystem::path& path);

// Whether the path is leat records: by the manifest, or a shard's name.
bool is_records(const std::filesystem::path& path);

}  // namespace leat::tools
