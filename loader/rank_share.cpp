#include "leat/loader/rank_share.h"

#include <fmt/format.h>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"

namespace leat {

using namespace detail;

RankShare::RankShare(int rank, int world_size, Uneven uneven)
    : rank_(static_cast<std::size_t>(rank)),
      world_size_(static_cast<std::size_t>(world_size)),
      uneven_(uneven) {
  if (world_size < 1 || rank < 0 || rank >= world_size) {
    throw ArgumentError(fmt::format("rank {} is not in [0, {}), the ranks of a world of size {}", rank,
                                    world_size, world_size));
  }
}

std::size_t RankShare::size(std::size_t positions) const noexcept {
  if (uneven_ == Uneven::pad) return divide_up(positions, world_size_);
  const bool one_more = uneven_ == Uneven::keep && rank_ < positions % world_size_;
  return positions / world_size_ + (one_more ? 1 : 0);
}

}  // namespace leat
