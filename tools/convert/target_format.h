// The output format, set up for a source.
#pragma once

#include <memory>
#include <string>

#include "leat/datasets/formats/record_conversion.h"
#include "leat/datasets/formats/shard_writer.h"
#include "tools/convert/options.h"
#include "tools/convert/recoder.h"

namespace leat::tools {

using namespace detail;

struct TargetFormat {
  std::unique_ptr<ShardWriter> format;
  std::string compression;  // "none", "zstd, level 3, with a dictionary of 112640 bytes"
};

// For leat records, reads the first samples of the source to choose the compression. Throws UsageError if the format
// cannot hold the schema.
TargetFormat make_target(const RecordConversion& source, const Recoder& recoder,
                         const ConvertOptions& options);

}  // namespace leat::tools
