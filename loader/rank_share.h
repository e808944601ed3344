/// \file
/// The division of an order among ranks.
#pragma once

#include <cstddef>

#include "leat/datasets/export.h"

namespace leat {

/// What becomes of positions that cannot be divided evenly among the ranks.
enum class RemainderPolicy {
  pad,   ///< the same number for each rank: the first positions are repeated at the end; PyTorch's default
  drop,  ///< the same number for each rank: the last positions are left out
  keep,  ///< each position once: some ranks have one less; for evaluation, and for loss weights by rows
};

/// A rank's share of an order: rank r has the positions r, r + world_size, r + 2 world_size, ... Immutable.
class LEAT_EXPORT RankShare {
 public:
  /// Throws ArgumentError if `rank` is not in [0, world_size).
  RankShare(int rank, int world_size, RemainderPolicy remainder);

  std::size_t rank() const noexcept { return rank_; }              ///< this rank
  std::size_t world_size() const noexcept { return world_size_; }  ///< number of ranks

  /// Returns how many of `positions` positions this rank has.
  std::size_t size(std::size_t positions) const noexcept;

  /// Returns the i-th of them. A position that pads is not below `positions`: take it modulo the length of the order.
  std::size_t position(std::size_t i) const noexcept { return i * world_size_ + rank_; }

 private:
  std::size_t rank_;
  std::size_t world_size_;
  RemainderPolicy remainder_;
};

}  // namespace leat
