// Integer value noise: smooth random fields that have the same values on every machine.
#pragma once

#include <cstdint>
#include <span>

namespace leat::tools {

// A field over the plane: random values on the integer lattice, smoothly interpolated, summed over octaves of
// doubled frequency and halved amplitude. Coordinates are 16.16 fixed point: 65536 is one lattice cell of the
// first octave.
class FractalNoise {
 public:
  FractalNoise(std::uint32_t key, int octaves) noexcept : key_(key), octaves_(octaves) {}

  // Computes values[i] += amplitude * field(u + i * du, v). The field is within [-2, 2], and mostly within [-0.5,
  // 0.5].
  void add_row(std::int64_t u, std::int64_t du, std::int64_t v, int amplitude,
               std::span<std::int32_t> values) const;

 private:
  std::uint32_t key_;
  int octaves_;
};

// A well-mixed function of three integers ("lowbias32" of Chris Wellons' hash prospector, chained).
constexpr std::uint32_t hash32(std::uint32_t key, std::uint32_t a, std::uint32_t b = 0) noexcept {
  std::uint32_t h = key;
  for (const std::uint32_t word : {a, b}) {
    h = (h ^ word) + 0x9e3779b9u;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    h ^= h >> 16;
  }
  return h;
}

}  // namespace leat::tools
