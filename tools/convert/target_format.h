// What is written: the format, set up for a source.
#pragma once

#include <memory>
#include <string>

#include "leat/datasets/shards/shard_format.h"
#include "tools/convert/options.h"
#include "tools/convert/recoder.h"

namespace leat::tools {

struct TargetFormat {
  std::unique_ptr<ShardFormat> format;
  std::string compression;  // "none", "zstd, level 3, with a dictionary of 112640 bytes"
};

// For leat records, reads the first samples of the source to decide on compression. Throws UsageError where the format
// cannot hold the schema.
TargetFormat make_target(const ConversionSource& source, const Recoder& recoder,
                         const ConvertOptions& options);

}  // namespace leat::tools
