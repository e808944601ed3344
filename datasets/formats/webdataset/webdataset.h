// WebDataset: tar shards in which adjacent members with the same key form a sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "leat/datasets/formats/tar/tar_index.h"
#include "leat/datasets/io/index_cache.h"
#include "leat/datasets/io/shard_files.h"
#include "leat/datasets/sample_source.h"

namespace leat::detail {

struct WebDatasetOptions {
  IndexOptions index = {};
  std::uint64_t max_member_bytes = std::uint64_t{1} << 30;
};

// Fields are named by their suffixes and come in the order of the members. Encodings, by a suffix's last part: jpg,
// jpeg, png; json; txt (str); cls, id, index, inx (str_int). Everything else is bytes. Pickles (pkl, pickle, pyd,
// pth, pt) are rejected when they are read.
//
// A shard's headers are read once, and its index is stored (see IndexCache). After that, a sample costs one pread for
// each field.
class WebDatasetSource final : public SampleSource {
 public:
  // `where`: a folder of .tar files, or a path with ranges in braces (see find_shards()). Throws what TarScanner and
  // find_tars() throw, and DataError if shards are compressed as a whole: their samples cannot be read at random.
  explicit WebDatasetSource(const std::string& where, WebDatasetOptions options = {});
  // Reads these shards, in this order.
  explicit WebDatasetSource(std::vector<std::string> shards, WebDatasetOptions options = {});

  std::size_t size() const override { return index_.size(); }
  void read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const override;
  void read_ahead(std::size_t index, const FieldChoice& choice) const noexcept override;
  bool reads_ahead() const noexcept override { return true; }
  std::string describe(std::size_t index) const override;

  std::string_view key(std::size_t index) const override { return check_index(index), index_.key(index); }
  std::vector<std::string> classes() const override;  // from read_class_names(), in the first shard's folder

 private:
  void read_member(std::size_t shard, const TarIndex::Member& member, StoredSample& sample) const;

  WebDatasetOptions options_;
  ShardFiles shards_;
  std::vector<std::uint64_t> shard_bytes_;
  TarIndex index_;
};

// Does the same for compressed tars (.tar.gz, .tgz, .tar.zst; also plain ones among them), inflated from front to
// back. Reading sample after sample in order costs no more than inflating each shard once. Going back starts the
// shard again. For conversion; is_sequential(). Thread-safe, one read at a time.
class TarStreamSource final : public SampleSource {
 public:
  explicit TarStreamSource(std::vector<std::string> shards, WebDatasetOptions options = {});
  ~TarStreamSource() override;

  std::size_t size() const override { return index_.size(); }
  void read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const override;
  bool is_sequential() const noexcept override { return true; }
  std::string describe(std::size_t index) const override;
  std::string_view key(std::size_t index) const override { return check_index(index), index_.key(index); }
  std::vector<std::string> classes() const override;

 private:
  struct Stream;  // the shard that is being read

  WebDatasetOptions options_;
  std::vector<std::string> shards_;
  TarIndex index_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<Stream> stream_;  // guarded by mutex_
};

// Returns the shards that `where` names: plain and compressed tars of a folder, or those of a pattern (see
// find_shards()). Throws what find_shards() throws, and DataError if a folder holds a shard both plain and
// compressed, or compressed in two ways.
std::vector<std::string> find_tars(const std::string& where);
// Whether one of the shards is compressed as a whole. Throws SystemError.
bool are_compressed(const std::vector<std::string>& shards);

// Returns the encoding of a field by its suffix; of kind `other` for pickles.
Encoding encoding_of_suffix(std::string_view suffix);

}  // namespace leat::detail
