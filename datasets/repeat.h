/// \file
/// A dataset that repeats another one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "leat/datasets/dataset.h"
#include "leat/datasets/dataset_ref.h"
#include "leat/datasets/export.h"

namespace leat {

/// Repeats a dataset: sample i is the dataset's sample i modulo its size. Each repetition draws different random
/// numbers, since the generator is the caller's and depends on i. Thread-safe if the dataset is.
class LEAT_EXPORT Repeat final : public Dataset {
 public:
  /// Throws ArgumentError if `times` is 0, or if there are more samples than 64 bits can count.
  Repeat(DatasetRef dataset, std::size_t times);

  std::size_t size() const override;
  const Schema& schema() const override { return dataset_->schema(); }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void prefetch(std::size_t index) const noexcept override;
  void read_ahead(std::size_t index) const noexcept override;
  bool reads_ahead() const noexcept override { return dataset_->reads_ahead(); }
  std::string warnings() const override { return dataset_->warnings(); }
  std::string describe(std::size_t index) const override;
  std::optional<std::string> spec() const override;

 private:
  std::size_t original(std::size_t index) const;

  DatasetRef dataset_;
  std::size_t times_;
};

}  // namespace leat
