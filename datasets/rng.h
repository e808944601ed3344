// Counter-based random numbers: Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As
// Easy as 1, 2, 3" (SC 2011). A stream is a pure function of its key, so each sample has its own, whoever
// loads it and when.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

namespace leat {

// Ten rounds over a 128-bit counter and a 64-bit key.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) noexcept;

// The generator of one sample: the key is the seed, the counter holds (index, epoch, block). Sequences are
// stable across versions. Satisfies UniformRandomBitGenerator. Not thread-safe; copies go on independently.
class Rng {
 public:
  using result_type = std::uint32_t;

  // Only the low 32 bits of `epoch` count. A stream holds 2^34 numbers.
  Rng(std::uint64_t seed, std::uint64_t epoch, std::uint64_t index) noexcept;

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() noexcept;

  std::uint64_t bits64() noexcept;
  double uniform() noexcept;                          // [0, 1), 53 random bits
  double uniform(double low, double high) noexcept;   // [low, high)
  std::uint64_t below(std::uint64_t limit) noexcept;  // [0, limit) without modulo bias; limit > 0
  bool bernoulli(double probability) noexcept;        // always draws one uniform()

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  unsigned used_ = 4;
};

}  // namespace leat
