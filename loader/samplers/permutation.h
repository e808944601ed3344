// A keyed bijection on [0, n): a shuffled order of any length that takes no memory and gives any position at
// once.
#pragma once

#include <cstdint>
#include <span>

namespace leat::detail {

// An alternating Feistel network on the smallest power of two that holds n, with positions outside [0, n)
// walked round the cycle until they fall inside (Black and Rogaway, "Ciphers with Arbitrary Finite Domains",
// CT-RSA 2002): fewer than two steps on average. A key-dependent rotation before and after removes what a
// network on few bits keeps fixed. The order depends on (n, seed, epoch) alone and is stable across versions.
// Immutable.
class Permutation {
 public:
  Permutation(std::uint64_t n, std::uint64_t seed, std::uint64_t epoch) noexcept;

  // The image of `position`, which is below n.
  std::uint64_t operator()(std::uint64_t position) const noexcept;

  // Puts each position's image in its place; several times as fast as one by one.
  void apply(std::span<std::uint64_t> positions) const noexcept;

 private:
  static constexpr int kRounds = 8;
  static constexpr int kMinBits = 8;  // with fewer, neighbors of the order are visibly dependent

  std::uint64_t encrypt(std::uint64_t value) const noexcept;
  std::uint64_t rotate(std::uint64_t value, std::uint64_t by) const noexcept;

  std::uint64_t n_;
  unsigned low_bits_;   // of the value, replaced by the odd rounds
  unsigned high_bits_;  // replaced by the even rounds
  std::uint64_t first_rotation_;
  std::uint64_t last_rotation_;
  std::uint64_t keys_[kRounds];
};

}  // namespace leat::detail
