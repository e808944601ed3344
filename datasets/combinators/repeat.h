// A dataset several times over.
#pragma once

#include <cstddef>
#include <string>

#include "leat/datasets/dataset.h"

namespace leat {

// Sample i is sample i modulo the dataset's size. A sample is the same in each repetition but for what is random: the
// generator is the caller's, which depends on i. The dataset outlives this, which is as thread-safe as it.
class Repeat final : public Dataset {
 public:
  // Throws ArgumentError where `times` is 0, or where there would be more samples than 64 bits can count.
  Repeat(const Dataset& dataset, std::size_t times);
  Repeat(const Dataset&& temporary, std::size_t times) = delete;

  std::size_t size() const override;
  const Schema& schema() const override { return dataset_->schema(); }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void prefetch(std::size_t index) const noexcept override;
  void read_ahead(std::size_t index) const noexcept override;
  bool reads_ahead() const noexcept override { return dataset_->reads_ahead(); }
  std::string warnings() const override { return dataset_->warnings(); }
  std::string describe(std::size_t index) const override;

 private:
  std::size_t original(std::size_t index) const;

  const Dataset* dataset_;
  std::size_t times_;
};

}  // namespace leat
