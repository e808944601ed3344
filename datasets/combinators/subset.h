// Some samples of another dataset.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leat/datasets/dataset.h"

namespace leat {

// Sample i is sample indices[i] of `dataset`, which must outlive this. An index may come several times. As
// thread-safe as the dataset. Random transforms depend on i, not on indices[i]: the generator is the
// caller's.
class Subset final : public Dataset {
 public:
  // Throws ArgumentError naming an index that the dataset does not have.
  Subset(const Dataset& dataset, std::vector<std::size_t> indices);
  Subset(const Dataset&& temporary, std::vector<std::size_t> indices) = delete;

  std::size_t size() const override { return indices_.size(); }
  const Schema& schema() const override { return dataset_->schema(); }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void prefetch(std::size_t index) const noexcept override { dataset_->prefetch(indices_[index]); }
  void read_ahead(std::size_t index) const noexcept override { dataset_->read_ahead(indices_[index]); }
  bool reads_ahead() const noexcept override { return dataset_->reads_ahead(); }
  std::string warnings() const override { return dataset_->warnings(); }
  std::string describe(std::size_t index) const override;

 private:
  std::size_t original(std::size_t index) const;

  const Dataset* dataset_;
  std::vector<std::size_t> indices_;
};

}  // namespace leat
