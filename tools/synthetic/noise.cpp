#include "tools/synthetic/noise.h"

namespace leat::tools {

namespace {

constexpr int kBits = 12;  // fractional bits of lattice values and of weights

// Returns 3 t^2 - 2 t^3 of a 16-bit fraction t, as a weight in [0, 2^kBits].
std::int32_t smooth(std::int64_t fraction) noexcept {
  const auto t = static_cast<std::int32_t>(fraction >> (16 - kBits));
  return (t * t >> kBits) * (3 * (1 << kBits) - 2 * t) >> kBits;
}

// Returns the lattice value, in [-1, 1), with kBits fractional bits.
std::int32_t lattice(std::uint32_t key, std::int64_t column, std::int64_t row) noexcept {
  const std::uint32_t hash = hash32(key, static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(row));
  return static_cast<std::int32_t>(hash >> (32 - kBits - 1)) - (1 << kBits);
}

std::int32_t blend(std::int32_t a, std::int32_t b, std::int32_t weight) noexcept {
  return a + ((b - a) * weight >> kBits);
}

void add_octave(std::uint32_t key, std::int64_t u, std::int64_t du, std::int64_t v, int amplitude,
                std::span<std::int32_t> values) noexcept {
  const std::int64_t row = v >> 16;
  const std::int32_t down = smooth(v & 0xffff);
  const auto at = [&](std::int64_t column) {
    return blend(lattice(key, column, row), lattice(key, column, row + 1), down) * amplitude;
  };
  std::int64_t column = u >> 16;
  std::int32_t left = at(column), right = at(column + 1);
  for (std::int32_t& value : values) {
    if (u >> 16 != column) {
      left = u >> 16 == column + 1 ? right : at(u >> 16);
      column = u >> 16;
      right = at(column + 1);
    }
    value +=
        static_cast<std::int32_t>(left + (std::int64_t{right - left} * smooth(u & 0xffff) >> kBits)) >> kBits;
    u += du;
  }
}

}  // namespace

void FractalNoise::add_row(std::int64_t u, std::int64_t du, std::int64_t v, int amplitude,
                           std::span<std::int32_t> values) const {
  for (int octave = 0; octave < octaves_; ++octave) {
    add_octave(key_ + static_cast<std::uint32_t>(octave), u, du, v, amplitude >> octave, values);
    u *= 2;
    du *= 2;
    v *= 2;
  }
}

}  // namespace leat::tools
