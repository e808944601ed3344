// leat records as a source of samples.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "leat/datasets/formats/records/record_set.h"
#include "leat/datasets/sample_source.h"

namespace leat::detail {

// Fields are those of the set, as they are stored. A sample costs one pread.
class RecordSource final : public SampleSource {
 public:
  // Opens the set as RecordSet does, and throws what RecordSet throws.
  explicit RecordSource(const std::filesystem::path& path);

  std::size_t size() const override { return set_.size(); }
  // Reads the whole record and checks it. One small field of fixed shape, such as a label, is read alone and
  // unchecked if nothing else is chosen, it precedes all ragged fields, and the record is not compressed.
  void read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const override;
  // Reads from the file directly into the rows, without a copy, for fields that precede all ragged fields of a record
  // that is not compressed.
  bool read_into(std::size_t index, std::span<const std::span<std::byte>> rows) const override;
  void read_ahead(std::size_t index, const FieldChoice&) const noexcept override { set_.read_ahead(index); }
  bool reads_ahead() const noexcept override { return true; }
  std::string describe(std::size_t index) const override { return set_.describe(index); }
  std::vector<std::string> classes() const override { return set_.schema().classes(); }
  const RecordSchema* schema() const noexcept override { return &set_.schema(); }
  // Covers the shards' paths and checksums, or the checksums of the records if it is one shard alone.
  std::optional<std::uint64_t> fingerprint() const override;

  const RecordSet& records() const noexcept { return set_; }

 private:
  bool peek(std::size_t index, const FieldChoice& choice, StoredSample& sample) const;
  Encoding encoding_of(std::size_t field, const RecordView& record) const;

  RecordSet set_;
  std::vector<Encoding> encodings_;  // by field; shapes of ragged fields depend on the record
};

}  // namespace leat::detail
