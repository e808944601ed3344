// TFRecord files whose records are tf.train.Example messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "leat/datasets/io/index_cache.h"
#include "leat/datasets/io/shard_files.h"
#include "leat/datasets/sample_source.h"

namespace leat::detail {

struct TfRecordOptions {
  IndexOptions index = {};
  std::uint64_t max_record_bytes = std::uint64_t{1} << 30;
  // False: records are not Examples; each is one field, "data" (bytes).
  bool parse_examples = true;
};

// Fields are those of parse_tf_example(). The heads of all records are read once, and the index is stored (see
// IndexCache). After that, a sample costs one pread, and its CRC is checked each time. Files that are compressed as a
// whole are rejected: they have no random access. Memory: 16 bytes per record.
class TfRecordSource final : public SampleSource {
 public:
  // `where`: a folder of .tfrecord or .tfrecords files, or a path with ranges in braces (see find_shards()). Throws
  // what scan_tfrecord() and find_shards() throw.
  explicit TfRecordSource(const std::string& where, TfRecordOptions options = {});

  std::size_t size() const override { return records_.size(); }
  void read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const override;
  void read_ahead(std::size_t index, const FieldChoice& choice) const noexcept override;
  bool reads_ahead() const noexcept override { return true; }
  std::string describe(std::size_t index) const override;

 private:
  struct Record {
    std::uint64_t offset;  // of the data
    std::uint64_t length;
  };

  void add_shard(std::span<const std::byte> payload, const FileReader& file);
  std::size_t shard_of(std::size_t index) const;
  void read_data(std::size_t index, std::vector<std::byte>& data) const;

  TfRecordOptions options_;
  ShardFiles shards_;
  std::vector<Record> records_;
  std::vector<std::size_t> shard_ends_;  // record counts up to and including each shard
};

}  // namespace leat::detail
