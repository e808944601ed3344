#include "loader/subset_sampler.h"

#include <utility>

#include "loader/permutation.h"

namespace leat {

SubsetSampler::SubsetSampler(std::vector<std::uint64_t> indices, SubsetSamplerOptions options)
    : indices_(std::move(indices)), options_(options) {}

void SubsetSampler::indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const {
  const Permutation order(indices_.size(), options_.seed, epoch);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = indices_[options_.shuffle ? order(first + i) : first + i];
  }
}

}  // namespace leat
