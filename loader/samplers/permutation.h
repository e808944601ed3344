// Permutation: a keyed bijection on [0, n). It is a shuffled order of any length that takes no memory and gives
// random access to its positions.
#pragma once

#include <cstdint>
#include <span>

namespace leat::detail {

// An alternating Feistel network on the smallest power of two that holds n, but at least 2^kMinBits. A result outside
// [0, n) is encrypted again until it falls inside (cycle walking: Black and Rogaway, "Ciphers with Arbitrary Finite
// Domains", CT-RSA 2002): fewer than two steps on average for n > 128. A key-dependent rotation before and after
// removes what a network on few bits keeps fixed. The order depends only on (n, seed, epoch) and is stable across
// versions. Immutable.
class Permutation {
 public:
  Permutation(std::uint64_t n, std::uint64_t seed, std::uint64_t epoch) noexcept;

  // Returns the value that `position` is mapped to. `position` must be below n.
  std::uint64_t operator()(std::uint64_t position) const noexcept;

  // Replaces each position by the value that it is mapped to. Several times as fast as calls of operator().
  void apply(std::span<std::uint64_t> positions) const noexcept;

 private:
  static constexpr int kRounds = 8;
  static constexpr int kMinBits = 8;  // with fewer bits, neighbors in the order visibly depend on each other

  std::uint64_t encrypt(std::uint64_t value) const noexcept;
  std::uint64_t rotate(std::uint64_t value, std::uint64_t by) const noexcept;

  std::uint64_t n_;
  unsigned low_bits_;   // number of low bits of the value, which the odd rounds replace
  unsigned high_bits_;  // number of high bits, which the even rounds replace
  std::uint64_t first_rotation_;
  std::uint64_t last_rotation_;
  std::uint64_t keys_[kRounds];
};

}  // namespace leat::detail
