#include "loader/sampler.h"

#include <fmt/format.h>

#include <numeric>

#include "loader/base/checked.h"
#include "loader/base/errors.h"
#include "loader/permutation.h"

namespace leat {

void SequentialSampler::indices(std::uint64_t, std::size_t first, std::span<std::uint64_t> out) const {
  std::iota(out.begin(), out.end(), first);
}

void RandomSampler::indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const {
  const Permutation order(samples_, seed_, epoch);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = order(first + i);
}

DistributedSampler::DistributedSampler(std::size_t samples, DistributedSamplerOptions options)
    : samples_(samples), options_(options) {
  if (options.world_size < 1 || options.rank < 0 || options.rank >= options.world_size) {
    throw ArgumentError(fmt::format("rank {} is not in [0, {}), the ranks of a world of size {}",
                                    options.rank, options.world_size, options.world_size));
  }
  const auto world = static_cast<std::size_t>(options.world_size);
  const auto rank = static_cast<std::size_t>(options.rank);
  size_ = samples / world;
  if (options.uneven == Uneven::pad) size_ = divide_up(samples, world);
  if (options.uneven == Uneven::keep) size_ += rank < samples % world ? 1 : 0;
}

void DistributedSampler::indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const {
  const auto world = static_cast<std::size_t>(options_.world_size);
  const auto rank = static_cast<std::size_t>(options_.rank);
  const Permutation order(samples_, options_.seed, epoch);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t position =
        ((first + i) * world + rank) % samples_;  // beyond the end: padding, from the start
    out[i] = options_.shuffle ? order(position) : position;
  }
}

}  // namespace leat
