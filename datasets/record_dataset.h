/// \file
/// A dataset of leat records that delivers every field as stored.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "leat/datasets/dataset.h"
#include "leat/datasets/export.h"
#include "leat/datasets/record_schema.h"

namespace leat {

/// Delivers every field of a set of leat records as stored. The maximum lengths of ragged fields are those that occur
/// in the set. get() takes one pread. A field of fixed shape is read from the file directly into the batch's row if
/// it precedes all ragged fields in a record that is not compressed. docs/record-format.md describes the format.
///
/// Shards may be missing, truncated or damaged. This is a DataError only when one of their records is requested, so a
/// set can be used while it is still being copied. All datasets of a process together keep at most a quarter of the
/// file descriptors that it may have open; other shards are opened for each record. Thread-safe.
class LEAT_EXPORT RecordDataset final : public Dataset {
 public:
  /// Opens a folder with a manifest, or one shard file. Throws DataError if the manifest, or the single shard, is
  /// missing or invalid. Throws SystemError if it cannot be read.
  explicit RecordDataset(const std::filesystem::path& path);
  /// Copies share the state that was read from the files. Moving an object copies it.
  RecordDataset(const RecordDataset&) = default;
  /// Like the copy constructor.
  RecordDataset& operator=(const RecordDataset&) = default;
  ~RecordDataset() override = default;

  std::size_t size() const override;
  const Schema& schema() const override;
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void read_ahead(std::size_t index) const noexcept override;
  bool reads_ahead() const noexcept override { return true; }
  std::string describe(std::size_t index) const override;
  std::optional<std::string> spec() const override;

  /// Returns the content of the fields and the names of the classes.
  const RecordSchema& record_schema() const noexcept;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace leat
