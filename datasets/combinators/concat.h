// Several datasets as one, one after the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "leat/datasets/dataset.h"

namespace leat {

// All samples of the first dataset, then all of the second, and so on: Concat({a, b}). Finding a sample's dataset takes
// O(log n) of n datasets, and the sample is written where the caller wants it. The datasets outlive this, which is as
// thread-safe as they are.
//
// The sizes of the datasets may change between epochs: what lies where is what size() last found, and the loader asks
// for size() before each epoch. Worker processes know it as they know the datasets: as of when they were forked.
class Concat final : public Dataset {
 public:
  // Throws ArgumentError where there is no dataset, and where the schema of one is not that of the first, naming it and
  // the first field that differs.
  explicit Concat(std::vector<std::reference_wrapper<const Dataset>> datasets);

  std::size_t size() const override;
  const Schema& schema() const override { return datasets_.front().get().schema(); }
  // Throws ArgumentError where the sample is not there, or no more.
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void prefetch(std::size_t index) const noexcept override;
  void read_ahead(std::size_t index) const noexcept override;
  bool reads_ahead() const noexcept override;
  std::string warnings() const override;
  std::string describe(std::size_t index) const override;

 private:
  struct Place {
    const Dataset* dataset = nullptr;  // nullptr: there is no such sample
    std::size_t index = 0;
  };
  Place find(std::size_t index) const;
  Place at(std::size_t index) const;

  std::vector<std::reference_wrapper<const Dataset>> datasets_;
  // Where each dataset's samples end. Words that change under a reader belong to an epoch that was abandoned, of which
  // nothing is delivered; find() gives indices that are in range whatever they say.
  mutable std::vector<std::atomic<std::size_t>> ends_;
};

}  // namespace leat
