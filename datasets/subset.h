/// \file
/// A dataset of selected samples of another one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/dataset.h"
#include "leat/datasets/dataset_ref.h"
#include "leat/datasets/export.h"

namespace leat {

/// Delivers selected samples of a dataset: sample i is the dataset's sample indices[i]. An index may occur several
/// times. Random transforms depend on i, not on indices[i], since the generator is the caller's. Thread-safe if the
/// dataset is.
class LEAT_EXPORT Subset final : public Dataset {
 public:
  /// Throws ArgumentError that names the index if the dataset does not have one of the samples.
  Subset(DatasetRef dataset, std::vector<std::size_t> indices);

  std::size_t size() const override { return indices_.size(); }
  const Schema& schema() const override { return dataset_->schema(); }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void prefetch(std::size_t index) const noexcept override { dataset_->prefetch(indices_[index]); }
  void read_ahead(std::size_t index) const noexcept override { dataset_->read_ahead(indices_[index]); }
  bool reads_ahead() const noexcept override { return dataset_->reads_ahead(); }
  std::string warnings() const override { return dataset_->warnings(); }
  std::string describe(std::size_t index) const override;
  std::optional<std::string> spec() const override;

 private:
  std::size_t original(std::size_t index) const;

  DatasetRef dataset_;
  std::vector<std::size_t> indices_;
};

}  // namespace leat
