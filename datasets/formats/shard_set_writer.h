// Samples into shards of a bounded size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "leat/datasets/formats/shard_writer.h"

namespace leat::detail {

// A shard is finished before the sample that would make it longer than the bound; a sample that is longer alone gets a
// shard of its own. Each shard appears under its name when it is whole. Not thread-safe.
class ShardSetWriter {
 public:
  // Called when a shard is whole and on the disk, before the next sample is added.
  using OnShard = std::function<void(const std::vector<ShardSummary>& shards)>;

  // Goes on behind the shards in `done`. The folder must exist. Throws ArgumentError where the bound is beyond what
  // the format can hold.
  ShardSetWriter(std::filesystem::path folder, const ShardWriter& format, std::uint64_t shard_bytes,
                 std::vector<ShardSummary> done = {}, OnShard on_shard = {});

  // Throws ArgumentError on a sample that the format cannot hold, or not behind the one before; it is as if it had not
  // been added.
  void add(EncodedSample sample);
  void finish();  // the last shard, and the format's index

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
  ShardSummary summary_;                   // of the shard in the making
  std::unique_ptr<DurableFile> file_;      // null: none
  std::unique_ptr<ShardBuilder> builder_;  // writes to file_, so it goes first
};

}  // namespace leat::detail
