// leat records as a dataset: every field as it is.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "leat/datasets/dataset.h"
#include "leat/datasets/records/record_set.h"

namespace leat {

// Has the set's fields, with the greatest lengths that occur in it. get() takes one pread; a field of fixed shape
// goes from the file into the batch's row without a copy, where it stands before all ragged ones in a record that is
// not compressed. Thread-safe.
class RecordDataset final : public Dataset {
 public:
  // As RecordSet.
  explicit RecordDataset(const std::filesystem::path& path) : set_(path) {}

  std::size_t size() const override { return set_.size(); }
  const Schema& schema() const override { return set_.schema().fields(); }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void read_ahead(std::size_t index) const noexcept override { set_.read_ahead(index); }
  bool reads_ahead() const noexcept override { return true; }
  std::string describe(std::size_t index) const override { return set_.describe(index); }

  const RecordSet& records() const noexcept { return set_; }

 private:
  RecordSet set_;
};

}  // namespace leat
