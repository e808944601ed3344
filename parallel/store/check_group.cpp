#include "leat/parallel/store/check_group.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "leat/datasets/errors.h"

namespace leat::detail {

void check_group(std::span<const int> ranks, const WorldSettings& world) {
  if (ranks.empty()) throw ArgumentError("a group needs at least one rank");
  std::vector<bool> seen(static_cast<std::size_t>(world.world_size));
  for (const int rank : ranks) {
    if (rank < 0 || rank >= world.world_size) {
      throw ArgumentError(fmt::format("a group of ranks {}: rank {} is no rank of {}", fmt::join(ranks, ", "),
                                      rank, world.world_size));
    }
    if (seen[static_cast<std::size_t>(rank)]) {
      throw ArgumentError(
          fmt::format("a group of ranks {}: rank {} appears twice", fmt::join(ranks, ", "), rank));
    }
    seen[static_cast<std::size_t>(rank)] = true;
  }
  if (!seen[static_cast<std::size_t>(world.rank)]) {
    throw ArgumentError(fmt::format("rank {} makes a group of ranks {}, but is none of them", world.rank,
                                    fmt::join(ranks, ", ")));
  }
}

}  // namespace leat::detail
