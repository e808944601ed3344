#include "leat/datasets/subset.h"

#include <fmt/format.h>

#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/spec/combinator_spec.h"

namespace leat {

using namespace detail;

Subset::Subset(DatasetRef dataset, std::vector<std::size_t> indices)
    : dataset_(std::move(dataset)), indices_(std::move(indices)) {
  const std::size_t samples = dataset_->size();
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

std::optional<std::string> Subset::spec() const {
  return subset_spec(*dataset_, indices_);
}

std::size_t Subset::original(std::size_t index) const {
  if (index >= indices_.size()) {
    throw ArgumentError(fmt::format("there is no sample {}: the subset has {}", index, indices_.size()));
  }
  return indices_[index];
}

}  // namespace leat
