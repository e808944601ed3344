#include "leat/datasets/verify_records.h"

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/records/record_set.h"
#include "leat/datasets/io/xxh3.h"

namespace leat {

using namespace detail;

namespace {

using Progress = std::function<void(std::size_t)>;

// Adds the damaged records of a shard that could be opened.
void verify_each(const RecordSet& set, std::size_t shard, std::vector<BadRecords>& bad,
                 const Progress& progress) {
  RecordMemory memory;
  for (std::size_t index = set.start_of(shard); index < set.start_of(shard + 1); ++index) {
    try {
      set.read(index, memory);
    } catch (const DataError& error) {
      bad.push_back({index, 1, set.describe(index), error.what()});
    }
    if (progress) progress(index + 1);
  }
}

void verify_shard(const RecordSet& set, std::size_t shard, std::vector<BadRecords>& bad,
                  const Progress& progress) {
  const std::size_t first = set.start_of(shard), count = set.start_of(shard + 1) - first, before = bad.size();
  const std::string path = set.path_of(shard).string();
  try {
    set.shard(shard);
  } catch (const DataError& error) {
    bad.push_back({first, count, path, error.what()});
    return;
  }
  verify_each(set, shard, bad, progress);
  if (bad.size() != before || !set.is_listed()) return;
  if (checksum_of_file(path) == set.manifest().shards[shard].checksum) return;
  bad.push_back({first, 0, path, "its checksum is not the manifest's, though all its records are sound"});
}

}  // namespace

std::vector<BadRecords> verify_records(const std::filesystem::path& path, const Progress& progress) {
  const RecordSet set(path);
  std::vector<BadRecords> bad;
  for (std::size_t shard = 0; shard < set.manifest().shards.size(); ++shard) {
    verify_shard(set, shard, bad, progress);
  }
  return bad;
}

}  // namespace leat
