// A set of leat records: all shards of a folder, or one shard alone.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "leat/datasets/formats/records/manifest.h"
#include "leat/datasets/formats/records/shard_reader.h"

namespace leat::detail {

// Reads records by their number in the set. Thread-safe and safe to fork: readers are published by compare-and-swap,
// and nothing is locked.
//
// Shards may be missing, cut short or damaged. That is an error only when one of their records is read, and shards
// that have arrived by then are used, so that a set can be read while it is being copied. A shard is kept open if the
// process has a DescriptorShare left. Otherwise its file is opened for each record.
class RecordSet {
 public:
  // `path` is a folder with a manifest, or one shard file. Reads the indexes of all shards that are there. Throws
  // DataError if the manifest, or the one shard, is missing or breaks a rule.
  explicit RecordSet(std::filesystem::path path);
  ~RecordSet();
  RecordSet(const RecordSet&) = delete;
  RecordSet& operator=(const RecordSet&) = delete;

  std::size_t size() const noexcept { return starts_.back(); }
  const RecordSchema& schema() const noexcept { return manifest_.schema; }
  const Manifest& manifest() const noexcept { return manifest_; }

  // Reads like ShardReader::read(); errors name the shard and the record in it. Throws ArgumentError if the index is
  // out of range.
  RecordView read(std::size_t index, RecordMemory& memory,
                  std::span<const std::span<std::byte>> rows = {}) const;

  // Reads one field of fixed shape alone, unchecked. Returns false if that is not possible; see ShardReader::peek().
  bool peek(std::size_t index, std::size_t field, std::span<std::byte> row) const;

  // Asks the kernel to fetch a record, without waiting for it. `index` is below size().
  void read_ahead(std::size_t index) const noexcept;

  const std::filesystem::path& path() const noexcept { return path_; }
  // Returns whether a manifest lists the shards and their checksums. False for one shard file alone.
  bool is_listed() const noexcept { return folder_ == path_; }
  std::string describe(std::size_t index) const;  // "folder/shard-00002.leat, record 17"

  // Return the first record of a shard, and its reader. shard() throws DataError if the shard is missing or damaged.
  std::size_t start_of(std::size_t shard) const { return starts_.at(shard); }
  const ShardReader& shard(std::size_t shard) const;
  std::filesystem::path path_of(std::size_t shard) const;

 private:
  struct Place {
    std::size_t shard;
    std::size_t record;  // number within the shard
  };
  Place locate(std::size_t index) const;
  const ShardReader& open(std::size_t shard) const;
  void open_first_ones() noexcept;

  std::filesystem::path path_;  // as it was given
  std::filesystem::path folder_;
  Manifest manifest_;
  std::vector<std::size_t> starts_;  // the first record of each shard, and the end of the last one
  std::shared_ptr<const RecordDecompressor> decompressor_;        // of the first shard that could be read
  mutable std::vector<std::atomic<const ShardReader*>> readers_;  // owned; null until the shard could be read
};

}  // namespace leat::detail
