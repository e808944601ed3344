#include "leat/loader/samplers/permutation.h"

#include <algorithm>
#include <bit>

#include "leat/datasets/rng.h"

namespace leat::detail {

namespace {

// The finalizer of SplitMix64 (Stafford's variant 13): every input bit affects every output bit.
std::uint64_t mix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

std::uint64_t mask(unsigned bits) noexcept {
  return (std::uint64_t{1} << bits) - 1;
}

// Differs from the streams of all samples' generators, since no dataset has this index.
constexpr std::uint64_t kOrderStream = ~std::uint64_t{0};

}  // namespace

Permutation::Permutation(std::uint64_t n, std::uint64_t seed, std::uint64_t epoch) noexcept : n_(n) {
  const auto needed = static_cast<int>(std::bit_width(n > 0 ? n - 1 : 0));
  const auto bits = static_cast<unsigned>(std::max(kMinBits, needed));
  low_bits_ = bits / 2;
  high_bits_ = bits - low_bits_;
  Rng rng(seed, epoch, kOrderStream);
  first_rotation_ = n > 0 ? rng.below(n) : 0;
  last_rotation_ = n > 0 ? rng.below(n) : 0;
  for (std::uint64_t& key : keys_) key = rng.bits64();
}

std::uint64_t Permutation::rotate(std::uint64_t value, std::uint64_t by) const noexcept {
  return value >= n_ - by ? value - (n_ - by) : value + by;
}

std::uint64_t Permutation::encrypt(std::uint64_t value) const noexcept {
  std::uint64_t low = value & mask(low_bits_);
  std::uint64_t high = value >> low_bits_;
  for (int round = 0; round < kRounds; round += 2) {
    high ^= (mix(low ^ keys_[round]) >> 7) & mask(high_bits_);
    low ^= (mix(high ^ keys_[round + 1]) >> 7) & mask(low_bits_);
  }
  return high << low_bits_ | low;
}

std::uint64_t Permutation::operator()(std::uint64_t position) const noexcept {
  apply({&position, 1});
  return position;
}

// The first loop has no branch, so the processor can work on several positions at once. Only results outside [0, n)
// need further steps.
void Permutation::apply(std::span<std::uint64_t> positions) const noexcept {
  for (std::uint64_t& value : positions) value = encrypt(rotate(value, first_rotation_));
  for (std::uint64_t& value : positions) {
    while (value >= n_) value = encrypt(value);
    value = rotate(value, last_rotation_);
  }
}

}  // namespace leat::detail
