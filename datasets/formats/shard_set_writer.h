// Writes samples into shards of a bounded size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "leat/datasets/formats/shard_writer.h"

namespace leat::detail {

// Finishes a shard before the sample that would make it longer than the bound. A sample that is longer on its own
// gets a shard of its own. Each shard appears under its name when it is complete. Not thread-safe.
class ShardSetWriter {
 public:
  // Called when a shard is complete and on the disk, before the next sample is added.
  using OnShard = std::function<void(const std::vector<ShardSummary>& shards)>;

  // Continues after the shards in `done`. The folder must exist. Throws ArgumentError if the bound exceeds what the
  // format can hold.
  ShardSetWriter(std::filesystem::path folder, const ShardWriter& format, std::uint64_t shard_bytes,
                 std::vector<ShardSummary> done = {}, OnShard on_shard = {});

  // Throws ArgumentError if the format cannot hold the sample, or cannot hold it after the previous one. The set is
  // then as if the sample had not been added.
  void add(EncodedSample sample);
  void finish();  // writes the last shard and the format's index

  const std::vector<ShardSummary>& shards() const noexcept { return done_; }

 private:
  void begin_shard();
  void add_to_shard(EncodedSample sample);
  void abandon_shard();
  void end_shard();

  std::filesystem::path folder_;
  const ShardWriter& format_;
  std::uint64_t shard_bytes_;
  std::vector<ShardSummary> done_;
  OnShard on_shard_;
  ShardSummary summary_;                   // of the current shard
  std::unique_ptr<DurableFile> file_;      // null: none
  std::unique_ptr<ShardBuilder> builder_;  // writes to file_, so it is destroyed first
};

}  // namespace leat::detail
