// Writes the leat record format (docs/record-format.md).
#pragma once

#include <memory>

#include "leat/datasets/formats/records/body_layout.h"
#include "leat/datasets/formats/records/record_codec.h"
#include "leat/datasets/formats/shard_writer.h"

namespace leat::detail {

class RecordShardWriter final : public ShardWriter {
 public:
  struct Options {
    std::size_t alignment = 8;  // a power of two from 8 to 4096; 64 for pixels
    Compression compression = {};
  };

  // Throws ArgumentError if the format does not have one of the options.
  RecordShardWriter(RecordSchema schema, Options options);

  EncodedSample encode(const Record& sample, std::size_t index) const override;
  std::string shard_name(std::size_t shard) const override;  // shard-00000.leat
  std::unique_ptr<ShardBuilder> begin(std::size_t shard, DurableFile& file) const override;
  void write_index(const std::filesystem::path& folder, std::span<const ShardSummary> shards) const override;
  std::uint64_t max_shard_bytes() const override { return std::uint64_t{1} << 62; }

 private:
  RecordSchema schema_;
  Options options_;
  BodyLayout layout_;
  std::unique_ptr<const RecordCompressor> compressor_;  // null: records are stored as they are
  std::vector<std::byte> head_;                         // schema and dictionary
  std::size_t schema_bytes_ = 0;
};

}  // namespace leat::detail
