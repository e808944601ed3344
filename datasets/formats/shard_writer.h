// The interface of every format that can be written: turns samples into shard files.
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

// One sample in the form that it has in a shard.
struct EncodedSample {
  std::vector<std::byte> bytes;
  std::uint64_t raw_bytes = 0;       // before compression
  std::uint64_t checksum = 0;        // if the format keeps one
  std::vector<std::size_t> lengths;  // of the ragged fields, in elements
  std::string key;                   // if the format names samples
};

// A finished shard.
struct ShardSummary {
  std::string file;
  std::size_t samples = 0;
  std::uint64_t bytes = 0;
  std::uint64_t raw_bytes = 0;
  std::uint64_t checksum = 0;            // xxh3 of the file
  std::vector<std::size_t> max_lengths;  // of the ragged fields
};

// A shard that is being written. Not thread-safe.
class ShardBuilder {
 public:
  virtual ~ShardBuilder() = default;

  // Returns how long the finished file would be with this sample added.
  virtual std::uint64_t bytes_with(const EncodedSample& sample) const = 0;
  virtual void add(EncodedSample sample) = 0;
  virtual void finish() = 0;  // writes what remains

 protected:
  ShardBuilder() = default;
  ShardBuilder(const ShardBuilder&) = default;
  ShardBuilder& operator=(const ShardBuilder&) = default;
};

// Immutable; encode() is thread-safe. All functions are pure functions of their arguments, so files do not depend on
// which thread encodes which sample, and when.
class ShardWriter {
 public:
  virtual ~ShardWriter() = default;

  // Throws ArgumentError if the format cannot hold the sample.
  virtual EncodedSample encode(const Record& sample, std::size_t index) const = 0;

  virtual std::string shard_name(std::size_t shard) const = 0;
  virtual std::unique_ptr<ShardBuilder> begin(std::size_t shard, DurableFile& file) const = 0;

  // Writes the file that makes the shards a set. Does nothing if the format has no such file.
  virtual void write_index(const std::filesystem::path& folder,
                           std::span<const ShardSummary> shards) const = 0;

  // The greatest length of a shard that can be written.
  virtual std::uint64_t max_shard_bytes() const = 0;

 protected:
  ShardWriter() = default;
  ShardWriter(const ShardWriter&) = default;
  ShardWriter& operator=(const ShardWriter&) = default;
};

}  // namespace leat::detail
