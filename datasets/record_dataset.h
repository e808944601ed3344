/// \file
/// leat records as a dataset: every field as it is.
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

/// Delivers every field of a set of leat records, as it is stored, with the greatest lengths that occur in the set.
/// get() takes one pread; a field of fixed shape goes from the file into the batch's row without a copy, if it stands
/// before all ragged ones in a record that is not compressed. docs/record-format.md describes the format.
///
/// Shards may be missing, cut short or damaged: that is a DataError when one of their records is asked for, so a set
/// can be used while it arrives. All datasets of a process together keep at most a quarter of the descriptors that
/// it may have open; other shards are opened for each record. Thread-safe.
class LEAT_EXPORT RecordDataset final : public Dataset {
 public:
  /// Opens a folder with a manifest, or one shard file. Throws DataError if the manifest, or the one shard, is missing
  /// or breaks a rule; SystemError if it cannot be read.
  explicit RecordDataset(const std::filesystem::path& path);
  /// A copy shares what was read of the files, and so does what is moved from.
  RecordDataset(const RecordDataset&) = default;
  /// As the constructor.
  RecordDataset& operator=(const RecordDataset&) = default;
  ~RecordDataset() override = default;

  std::size_t size() const override;
  const Schema& schema() const override;
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void read_ahead(std::size_t index) const noexcept override;
  bool reads_ahead() const noexcept override { return true; }
  std::string describe(std::size_t index) const override;
  std::optional<std::string> spec() const override;

  /// Returns what the fields hold, and the names of the classes.
  const RecordSchema& record_schema() const noexcept;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace leat
