/// \file
/// Random number generators that are functions of a key and a counter. Each sample has its own stream, independent of
/// who loads it and when.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "leat/datasets/export.h"

namespace leat {

/// Philox4x32-10: ten rounds over a 128-bit counter and a 64-bit key. Source: Salmon, Moraes, Dror, Shaw, "Parallel
/// Random Numbers: As Easy as 1, 2, 3", SC 2011.
LEAT_EXPORT std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                    std::array<std::uint32_t, 2> key) noexcept;

/// The random number generator of one sample, based on Philox4x32-10: the key is the seed, and the counter holds
/// (index, epoch, block). Later versions of leat will return the same numbers. Satisfies
/// std::uniform_random_bit_generator. Not thread-safe. Copies continue independently.
class LEAT_EXPORT Rng {
 public:
  /// The type of the numbers that operator() returns.
  using result_type = std::uint32_t;

  /// Only the low 32 bits of `epoch` are used. The numbers repeat after 2^34.
  Rng(std::uint64_t seed, std::uint64_t epoch, std::uint64_t index) noexcept;

  /// Returns the smallest number.
  static constexpr result_type min() { return 0; }
  /// Returns the largest number.
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  /// Returns 32 random bits.
  result_type operator()() noexcept;

  /// Returns 64 random bits.
  std::uint64_t bits64() noexcept;
  /// Returns a number in [0, 1) with 53 random bits.
  double uniform() noexcept;
  /// Returns a number in [low, high).
  double uniform(double low, double high) noexcept;
  /// Returns an integer in [0, limit), each with the same probability. `limit` must be above 0.
  std::uint64_t below(std::uint64_t limit) noexcept;
  /// Returns true with this probability. Always draws exactly one uniform().
  bool bernoulli(double probability) noexcept;

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  unsigned used_ = 4;
};

}  // namespace leat
