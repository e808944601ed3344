// A check that the files on the disk hold what was written.
#pragma once

#include <filesystem>
#include <span>

#include "leat/datasets/formats/shard_writer.h"
#include "tools/convert/options.h"

namespace leat::tools {

using namespace detail;

// Reads all shards back and checks each file's checksum and, for leat records, each record's checksum. Throws
// DataError naming what differs.
void check_output(const std::filesystem::path& folder, std::span<const ShardSummary> shards, Target target);

}  // namespace leat::tools
