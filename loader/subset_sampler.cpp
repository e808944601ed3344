#include "leat/loader/subset_sampler.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "leat/loader/samplers/fingerprint.h"
#include "leat/loader/samplers/permutation.h"

namespace leat {

using namespace detail;

SubsetSampler::SubsetSampler(std::vector<std::uint64_t> indices, SubsetSamplerOptions options)
    : indices_(std::move(indices)),
      options_(options),
      fingerprint_(fmt::format("subset: {} samples, digest {}, {}", indices_.size(), digest_of(indices_),
                               options.shuffle ? fmt::format("seed {}", options.seed) : "not shuffled")) {}

void SubsetSampler::indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const {
  std::iota(out.begin(), out.end(), first);
  if (options_.shuffle) Permutation(indices_.size(), options_.seed, epoch).apply(out);
  for (std::uint64_t& index : out) index = indices_[index];
}

}  // namespace leat
