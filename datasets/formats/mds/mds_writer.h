// MosaicML's MDS, version 2, for writing.
#pragma once

#include <string>
#include <vector>

#include "leat/datasets/formats/shard_writer.h"

namespace leat::detail {

// index.json, leat-classes.json where there are classes, and shard.00000.mds..., neither compressed nor hashed, as
// mosaicml-streaming's MDSWriter lays them out.
// Columns, in order of their names:
//
//   text -> str, bytes -> bytes, jpeg -> jpeg (PNGs, too: readers tell by the bytes), an i64 scalar -> int, other
//   scalars -> int32, float32...,
//   arrays of fixed shape -> ndarray:dtype:shape, ragged ones -> ndarray:dtype; none of these has bf16.
//
// A shard is kept in memory until it is written, since offsets come first. Readers know no empty arrays: one is an
// error.
class MdsShardWriter final : public ShardWriter {
 public:
  // `shard_bytes` is stated in the files as their size limit. Throws ArgumentError naming a field that MDS has no type
  // for.
  MdsShardWriter(RecordSchema schema, std::uint64_t shard_bytes);

  EncodedSample encode(const Record& sample, std::size_t index) const override;
  std::string shard_name(std::size_t shard) const override;
  std::unique_ptr<ShardBuilder> begin(std::size_t shard, DurableFile& file) const override;
  void write_index(const std::filesystem::path& folder, std::span<const ShardSummary> shards) const override;
  std::uint64_t max_shard_bytes() const override { return 0xffff'ffff; }  // offsets have 32 bits

  const std::string& config() const noexcept { return config_; }  // what each shard's head says, JSON

 private:
  struct Column {
    std::size_t field;
    std::string name;
    std::string encoding;
    std::size_t bytes;  // 0: each sample states its own
  };
  static std::string encoding_of(const RecordSchema& schema, std::size_t field);

  RecordSchema schema_;
  std::vector<Column> columns_;  // in order of their names
  std::string config_;
  std::uint64_t size_limit_ = 0;
  std::string classes_;      // the content of leat-classes.json
  std::string index_entry_;  // what index.json says of every shard, beside its name and sizes
};

}  // namespace leat::detail
