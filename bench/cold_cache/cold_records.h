// Records that are on the disk but not in memory, and epochs over them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "leat/datasets/record_dataset.h"

namespace leat::bench {

// An epoch reads one of every kSpread records, as if the set were too large to be read entirely: what the kernel
// reads around a wanted record is useless.
inline constexpr std::size_t kSpread = 4;

struct RecordsToWrite {
  std::size_t samples = 0;                      // samples of an epoch
  std::size_t bytes = 0;                        // size of each image; random bytes, which do not compress
  std::optional<std::filesystem::path> images;  // image folder whose files are used repeatedly instead
};

// Writes kSpread * samples records of "label" (the index) and "image". Replaces the folder's previous contents.
void write_records(const std::filesystem::path& folder, const RecordsToWrite& what);

// Evicts all shards from the page cache. Returns false if the file system keeps them there.
bool evict(const RecordDataset& records);

struct Setting {
  int workers = 1;
  bool cold = true;
  bool reads_ahead = true;
};

// Returns the samples per second of one shuffled epoch over one of every kSpread records, measured from the first
// next() on; the workers are started before. Throws Error if the epoch does not deliver each sample once, or if the
// records cannot be evicted from the page cache.
double measure(const RecordDataset& records, const Setting& setting, std::uint64_t seed);

}  // namespace leat::bench
