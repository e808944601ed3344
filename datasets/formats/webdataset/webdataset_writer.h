// Writes WebDataset shards: each is a POSIX tar of ustar members, one for each field of a sample.
#pragma once

#include <string>
#include <vector>

#include "leat/datasets/formats/shard_writer.h"

namespace leat::detail {

// Writes shard-000000.tar... in the layout of webdataset's ShardWriter: mode 0444, owner bigdata, time 0, members of
// a sample next to each other in order of their suffixes, the end padded to 10,240 bytes. The key is the sample's
// name without its extension, or its number in nine digits. A key ends at the first dot of its last part, so dots
// there are written as %2E: "x.1.jpg" and "x_1.jpg" stay two samples. Suffixes:
//
//   jpeg -> jpg, the label (an i64 scalar) -> cls, text -> txt, bytes -> bin, everything else -> npy (NumPy, version
//   1.0);
//   a field that is not called image, label or text has its name before the suffix: depth.npy.
class WebDatasetShardWriter final : public ShardWriter {
 public:
  // Throws ArgumentError naming a field that cannot be written.
  explicit WebDatasetShardWriter(RecordSchema schema);

  EncodedSample encode(const Record& sample, std::size_t index) const override;
  std::string shard_name(std::size_t shard) const override;
  std::unique_ptr<ShardBuilder> begin(std::size_t shard, DurableFile& file) const override;
  // There is no index; classes are stored in leat-classes.json.
  void write_index(const std::filesystem::path& folder, std::span<const ShardSummary> shards) const override;
  std::uint64_t max_shard_bytes() const override { return std::uint64_t{1} << 62; }

 private:
  struct Member {
    std::string suffix;
    std::size_t field;
  };
  std::string key_of(const Record& sample, std::size_t index) const;
  std::string suffix_for(const Member& member, std::span<const std::byte> content) const;
  std::vector<std::byte> content_of(const Record& sample, std::size_t field) const;

  RecordSchema schema_;
  std::string classes_;          // the content of leat-classes.json
  std::vector<Member> members_;  // in order of their suffixes
};

}  // namespace leat::detail
