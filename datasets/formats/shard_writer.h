// How samples become shard files: one interface for every format that can be written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "leat/datasets/io/durable_file.h"
#include "leat/datasets/record.h"
#include "leat/datasets/record_schema.h"

namespace leat::detail {

// One sample as it will stand in a shard.
struct EncodedSample {
  std::vector<std::byte> bytes;
  std::uint64_t raw_bytes = 0;       // before compression
  std::uint64_t checksum = 0;        // where the format keeps one
  std::vector<std::size_t> lengths;  // of the ragged fields, in elements
  std::string key;                   // where the format names samples
};

// A shard that was finished.
struct ShardSummary {
  std::string file;
  std::size_t samples = 0;
  std::uint64_t bytes = 0;
  std::uint64_t raw_bytes = 0;
  std::uint64_t checksum = 0;            // xxh3 of the file
  std::vector<std::size_t> max_lengths;  // of the ragged fields
};

// A shard in the making. Not thread-safe.
class ShardBuilder {
 public:
  virtual ~ShardBuilder() = default;

  // How long the finished file would be with one more sample.
  virtual std::uint64_t bytes_with(const EncodedSample& sample) const = 0;
  virtual void add(EncodedSample sample) = 0;
  virtual void finish() = 0;  // writes what is left to write

 protected:
  ShardBuilder() = default;
  ShardBuilder(const ShardBuilder&) = default;
  ShardBuilder& operator=(const ShardBuilder&) = default;
};

// Immutable; encode() is thread-safe. All are pure functions of their arguments, so files do not depend on who
// encoded what when.
class ShardWriter {
 public:
  virtual ~ShardWriter() = default;

  // Throws ArgumentError on a sample that the format cannot hold.
  virtual EncodedSample encode(const Record& sample, std::size_t index) const = 0;

  virtual std::string shard_name(std::size_t shard) const = 0;
  virtual std::unique_ptr<ShardBuilder> begin(std::size_t shard, DurableFile& file) const = 0;

  // Writes what makes shards a set; nothing where the format has no such file.
  virtual void write_index(const std::filesystem::path& folder,
                           std::span<const ShardSummary> shards) const = 0;

  // Greater shards cannot be written.
  virtual std::uint64_t max_shard_bytes() const = 0;

 protected:
  ShardWriter() = default;
  ShardWriter(const ShardWriter&) = default;
  ShardWriter& operator=(const ShardWriter&) = default;
};

}  // namespace leat::detail
