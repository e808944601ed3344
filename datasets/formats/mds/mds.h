// MDS (MosaicML Streaming): index.json and its shards.
//
// Shard, little-endian: u32 n, u32 offset[n + 1] (absolute), a copy of the configuration, n bodies. Body: a u32 size
// for each column without a fixed one, then the values of all columns.
// Source: mosaicml/streaming, streaming/base/format/mds/{reader,writer}.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "leat/datasets/formats/class_names.h"
#include "leat/datasets/formats/mds/mds_index.h"
#include "leat/datasets/io/shard_files.h"
#include "leat/datasets/sample_source.h"

namespace leat::detail {

struct MdsOptions {
  // Folder into which compressed shards are inflated, once each, when they are first read; empty:
  // default_cache_folder(). Needs as much space as the raw shards, and is left in place. A raw shard in the dataset's
  // own folder is used as it is.
  std::filesystem::path cache_folder = {};
};

// Fields are the columns, in the index's order and with its encodings. Values are not decoded; pkl is rejected when
// it is read. A sample costs two preads. Hashes in the index are not checked.
class MdsSource final : public SampleSource {
 public:
  // `folder` holds index.json. Throws what read_mds_index() throws, and ArgumentError if shards must be inflated and
  // there is no cache folder.
  explicit MdsSource(const std::filesystem::path& folder, const MdsOptions& options = {});

  std::size_t size() const override;
  void read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const override;
  std::string describe(std::size_t index) const override;
  std::vector<std::string> classes() const override { return read_class_names(folder_); }

  const std::vector<MdsColumn>& columns() const noexcept { return index_.columns; }

 private:
  // A shard's raw file and, if it is compressed, the file that the raw file is made from.
  struct Place {
    std::string raw;
    std::filesystem::path zip{};
  };

  Place place_of(const MdsShard& shard, const MdsOptions& options) const;
  std::vector<std::string> find_files(const MdsOptions& options);
  void prepare(std::size_t shard) const;
  void check(std::size_t shard, const FileReader& file) const;
  std::size_t shard_of(std::size_t index) const;
  void read_body(std::size_t shard, std::size_t sample, std::vector<std::byte>& body) const;
  void split_body(std::span<const std::byte> body, const std::string& source, const FieldChoice& choice,
                  StoredSample& sample) const;

  std::filesystem::path folder_;
  MdsIndex index_;
  std::vector<Place> places_;
  std::unique_ptr<ShardFiles> shards_;
  std::vector<std::size_t> shard_ends_;  // sample counts up to and including each shard
};

}  // namespace leat::detail
