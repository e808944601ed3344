#include "leat/datasets/rng.h"

namespace leat {

namespace {

using Wide = unsigned __int128;

constexpr std::uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;

std::uint32_t low(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}
std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> c,
                                        std::array<std::uint32_t, 2> key) noexcept {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * c[0];
    const std::uint64_t product1 = kMultiplier1 * c[2];
    c = {high(product1) ^ c[1] ^ key[0], low(product1), high(product0) ^ c[3] ^ key[1], low(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return c;
}

Rng::Rng(std::uint64_t seed, std::uint64_t epoch, std::uint64_t index) noexcept
    : key_{low(seed), high(seed)}, counter_{0, low(epoch), low(index), high(index)} {}

Rng::result_type Rng::operator()() noexcept {
  if (used_ == block_.size()) {
    block_ = philox4x32(counter_, key_);
    ++counter_[0];
    used_ = 0;
  }
  return block_[used_++];
}

std::uint64_t Rng::bits64() noexcept {
  const std::uint64_t first = (*this)();
  return first << 32 | (*this)();
}

double Rng::uniform() noexcept {
  return static_cast<double>(bits64() >> 11) * 0x1p-53;
}

double Rng::uniform(double low, double high) noexcept {
  return low + (high - low) * uniform();
}

std::uint64_t Rng::below(std::uint64_t limit) noexcept {
  // Lemire, "Fast Random Integer Generation in an Interval" (2019): multiplies, and redraws the few biased products.
  Wide product = Wide{bits64()} * limit;
  if (static_cast<std::uint64_t>(product) < limit) {
    const std::uint64_t threshold = (0 - limit) % limit;
    while (static_cast<std::uint64_t>(product) < threshold) product = Wide{bits64()} * limit;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

bool Rng::bernoulli(double probability) noexcept {
  return uniform() < probability;
}

}  // namespace leat
