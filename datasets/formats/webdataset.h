// WebDataset: tar shards whose adjacent members with one key are a sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "datasets/formats/index_cache.h"
#include "datasets/formats/raw_source.h"
#include "datasets/formats/shard_set.h"
#include "datasets/formats/tar_index.h"

namespace leat {

struct WebDatasetOptions {
  IndexOptions index = {};
  std::uint64_t max_member_bytes = std::uint64_t{1} << 30;
};

// Fields are called by their suffixes and come in the order of the members. Encodings, by a suffix's last part: jpg,
// jpeg, png; json; txt (str); cls, id, index, inx (str_int); everything else is bytes, and pickles (pkl, pickle, pyd,
// pth, pt) are refused when they are read.
//
// A shard's headers are read once, and its index kept (see IndexCache). Then a sample costs one pread for each field.
class WebDatasetSource final : public RawSource {
 public:
  // `where`: a folder of .tar files, or a path with ranges in braces (see find_shards()). Throws what TarScanner and
  // find_shards() throw.
  explicit WebDatasetSource(const std::string& where, WebDatasetOptions options = {});
  // These shards, in this order.
  explicit WebDatasetSource(std::vector<std::string> shards, WebDatasetOptions options = {});

  std::size_t size() const override { return index_.size(); }
  void read(std::size_t index, const FieldChoice& choice, RawSample& sample) const override;
  void read_ahead(std::size_t index, const FieldChoice& choice) const noexcept override;
  bool reads_ahead() const noexcept override { return true; }
  std::string describe(std::size_t index) const override;

  std::string_view key(std::size_t index) const override { return index_.key(index); }

 private:
  void read_member(std::size_t shard, const TarIndex::Member& member, RawSample& sample) const;

  WebDatasetOptions options_;
  ShardSet shards_;
  std::vector<std::uint64_t> shard_bytes_;
  TarIndex index_;
};

// The encoding of a field by its suffix; empty for pickles.
std::string_view encoding_of_suffix(std::string_view suffix) noexcept;

}  // namespace leat
