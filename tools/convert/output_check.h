// Whether what was written is what lies on the disk.
#pragma once

#include <filesystem>
#include <span>

#include "leat/datasets/formats/shard_writer.h"
#include "tools/convert/options.h"

namespace leat::tools {

using namespace detail;

// Reads all shards back: each file's checksum; of leat records each record's, too. Throws DataError naming what
// differs.
void check_output(const std::filesystem::path& folder, std::span<const ShardSummary> shards, Target target);

}  // namespace leat::tools
