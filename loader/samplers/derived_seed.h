// Several independent seeds made of one.
#pragma once

#include <cstdint>

#include "leat/datasets/rng.h"

namespace leat::detail {

// What the numbers are drawn for. Stable across versions: orders depend on the values.
enum class SeedUse : std::uint64_t {
  weighted_draws = 1,
  bucket_order = 2,
};

// The user gives one seed to the loader and its samplers. Without this, the draw for position i would consist
// of the very numbers that sample i is augmented with. `which` tells apart the orders of one use (32 bits).
inline std::uint64_t derived_seed(std::uint64_t seed, SeedUse use, std::uint64_t which = 0) noexcept {
  return Rng(seed, which, ~static_cast<std::uint64_t>(use)).bits64();  // no dataset holds an index so high
}

}  // namespace leat::detail
