#include "leat/loader/rank_share.h"

#include <fmt/format.h>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"

namespace leat {

using namespace detail;

RankShare::RankShare(int rank, int world_size, RemainderPolicy remainder)
    : rank_(static_cast<std::size_t>(rank)),
      world_size_(static_cast<std::size_t>(world_size)),
      remainder_(remainder) {
  if (world_size < 1 || rank < 0 || rank >= world_size) {
    throw ArgumentError(fmt::format("rank {} is not in [0, {}), the ranks of a world of size {}", rank,
                                    world_size, world_size));
  }
}

std::size_t RankShare::size(std::size_t positions) const noexcept {
  if (remainder_ == RemainderPolicy::pad) return divide_up(positions, world_size_);
  const bool one_more = remainder_ == RemainderPolicy::keep && rank_ < positions % world_size_;
  return positions / world_size_ + (one_more ? 1 : 0);
}

}  // namespace leat
