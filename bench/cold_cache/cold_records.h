// Records that lie on the disk and not in memory, and epochs over them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "leat/datasets/record_dataset.h"

namespace leat::bench {

// An epoch reads one record of so many, as if the set were too large to be read whole: what the kernel reads beside a
// record that is wanted is of no use.
inline constexpr std::size_t kSpread = 4;

struct RecordsToWrite {
  std::size_t samples = 0;                      // of an epoch
  std::size_t bytes = 0;                        // of each; generated, and nothing that compresses
  std::optional<std::filesystem::path> images;  // an image folder: its files instead, over and over
};

// Writes kSpread * samples records of "label" (the index) and "image", in place of what the folder holds.
void write_records(const std::filesystem::path& folder, const RecordsToWrite& what);

// Out of the page cache with all shards. False where the file system keeps them there.
bool evict(const RecordDataset& records);

struct Setting {
  int workers = 1;
  bool cold = true;
  bool reads_ahead = true;
};

// Samples per second of one shuffled epoch of one record of each kSpread, from the first next() on; the workers run
// before. Throws Error where it does not deliver each sample once, or where the records do not leave the page cache.
double measure(const RecordDataset& records, const Setting& setting, std::uint64_t seed);

}  // namespace leat::bench
