#include "tools/convert/output_check.h"

#include "leat/datasets/errors.h"
#include "leat/datasets/io/xxh3.h"
#include "leat/datasets/verify_records.h"

namespace leat::tools {

using namespace detail;

void check_output(const std::filesystem::path& folder, std::span<const ShardSummary> shards, Target target) {
  if (target == Target::leat) {
    for (const BadRecords& bad : verify_records(folder)) throw DataError(bad.source, bad.reason);
    return;
  }
  for (const ShardSummary& shard : shards) {
    if (checksum_of_file(folder / shard.file) == shard.checksum) continue;
    throw DataError((folder / shard.file).string(), "what lies on the disk is not what was written");
  }
}

}  // namespace leat::tools
