// Which positions of an order that all ranks share belong to one of them.
#pragma once

#include <cstddef>

namespace leat {

// What the ranks do where the world size does not divide the number of positions.
enum class RemainderPolicy {
  pad,   // ranks get equally many; the first positions are repeated at the end (PyTorch's default)
  drop,  // ranks get equally many; the last positions are left out
  keep,  // every position once; some ranks get one less. For evaluation, and training that weights by rows
};

// Rank r has the positions r, r + world_size, r + 2 world_size, ... Immutable.
class RankShare {
 public:
  // Throws ArgumentError where rank is not in [0, world_size).
  RankShare(int rank, int world_size, RemainderPolicy remainder);

  std::size_t rank() const noexcept { return rank_; }
  std::size_t world_size() const noexcept { return world_size_; }

  // How many of `positions` this rank has.
  std::size_t size(std::size_t positions) const noexcept;

  // The i-th of them. A padded one is not below `positions`: the caller takes it modulo the length of the
  // order.
  std::size_t position(std::size_t i) const noexcept { return i * world_size_ + rank_; }

 private:
  std::size_t rank_;
  std::size_t world_size_;
  RemainderPolicy remainder_;
};

}  // namespace leat
