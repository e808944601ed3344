/// \file
/// Several datasets, one after the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/dataset.h"
#include "leat/datasets/dataset_ref.h"
#include "leat/datasets/export.h"

namespace leat {

/// Delivers all samples of the first dataset, then all samples of the second, and so on: Concat({a, b}). Finding the
/// dataset of a sample takes O(log n) for n datasets.
///
/// The sizes of the datasets may change between epochs. The sizes that the last call of size() found apply, and the
/// loader calls size() before each epoch. Worker processes know the sizes at the time when they were forked.
///
/// Thread-safe if the datasets are.
class LEAT_EXPORT Concat final : public Dataset {
 public:
  /// Throws ArgumentError if there is no dataset, or if the schema of a dataset differs from that of the first one.
  /// The message names that dataset and the first field that differs.
  explicit Concat(std::vector<DatasetRef> datasets);

  std::size_t size() const override;
  const Schema& schema() const override { return datasets_.front()->schema(); }
  // Throws ArgumentError if there is no such sample, or no longer one.
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void prefetch(std::size_t index) const noexcept override;
  void read_ahead(std::size_t index) const noexcept override;
  bool reads_ahead() const noexcept override;
  std::string warnings() const override;
  std::string describe(std::size_t index) const override;
  std::optional<std::string> spec() const override;

 private:
  struct Place {
    const Dataset* dataset = nullptr;  // nullptr if there is no such sample
    std::size_t index = 0;
  };
  Place find(std::size_t index) const;
  Place at(std::size_t index) const;

  std::vector<DatasetRef> datasets_;
  // The end index of each dataset's samples. An end that changes while a thread reads it belongs to an abandoned
  // epoch, of which nothing is delivered. find() returns indices that are in range, whatever the values are.
  mutable std::vector<std::atomic<std::size_t>> ends_;
};

}  // namespace leat
