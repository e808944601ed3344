#include "loader/samplers/subset_sampler.h"

#include <numeric>
#include <utility>

#include "loader/samplers/permutation.h"

namespace leat {

SubsetSampler::SubsetSampler(std::vector<std::uint64_t> indices, SubsetSamplerOptions options)
    : indices_(std::move(indices)), options_(options) {}

void SubsetSampler::indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const {
  std::iota(out.begin(), out.end(), first);
  if (options_.shuffle) Permutation(indices_.size(), options_.seed, epoch).apply(out);
  for (std::uint64_t& index : out) index = indices_[index];
}

}  // namespace leat
