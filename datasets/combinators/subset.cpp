#include "leat/datasets/combinators/subset.h"

#include <fmt/format.h>

#include <utility>

#include "leat/datasets/errors.h"

namespace leat {

Subset::Subset(const Dataset& dataset, std::vector<std::size_t> indices)
    : dataset_(&dataset), indices_(std::move(indices)) {
  const std::size_t samples = dataset.size();
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    if (indices_[i] >= samples) {
      throw ArgumentError(
          fmt::format("a subset's index {} (at position {}) is not among the {} samples there are",
                      indices_[i], i, samples));
    }
  }
}

void Subset::get(std::size_t index, Rng& rng, SampleWriter& out) const {
  dataset_->get(original(index), rng, out);
}

std::string Subset::describe(std::size_t index) const {
  return dataset_->describe(original(index));
}

std::size_t Subset::original(std::size_t index) const {
  if (index >= indices_.size()) {
    throw ArgumentError(fmt::format("there is no sample {}: the subset has {}", index, indices_.size()));
  }
  return indices_[index];
}

}  // namespace leat
