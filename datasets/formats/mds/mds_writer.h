// Writes MosaicML's MDS, version 2.
#pragma once

#include <string>
#include <vector>

#include "leat/datasets/formats/shard_writer.h"

namespace leat::detail {

// Writes index.json, leat-classes.json if there are classes, and shard.00000.mds..., neither compressed nor hashed,
// in the layout of mosaicml-streaming's MDSWriter.
// Columns, in order of their names:
//
//   text -> str, bytes -> bytes, jpeg -> jpeg (also PNGs: readers tell them by the bytes), an i64 scalar -> int,
//   other scalars -> int32, float32...,
//   arrays of fixed shape -> ndarray:dtype:shape, ragged ones -> ndarray:dtype. There is no bf16.
//
// A shard is kept in memory until it is written, because offsets come first. Readers do not support empty arrays: an
// empty array is an error.
class MdsShardWriter final : public ShardWriter {
 public:
  // `shard_bytes` is stated in the files as their size limit. Throws ArgumentError naming a field for which MDS has
  // no type.
  MdsShardWriter(RecordSchema schema, std::uint64_t shard_bytes);

  EncodedSample encode(const Record& sample, std::size_t index) const override;
  std::string shard_name(std::size_t shard) const override;
  std::unique_ptr<ShardBuilder> begin(std::size_t shard, DurableFile& file) const override;
  void write_index(const std::filesystem::path& folder, std::span<const ShardSummary> shards) const override;
  std::uint64_t max_shard_bytes() const override { return 0xffff'ffff; }  // offsets have 32 bits

  const std::string& config() const noexcept { return config_; }  // the JSON text in each shard's header

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
  std::string index_entry_;  // what index.json says of every shard, except its name and sizes
};

}  // namespace leat::detail
