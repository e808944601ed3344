// Derives several independent seeds from one.
#pragma once

#include <cstdint>

#include "leat/datasets/rng.h"

namespace leat::detail {

// The purpose for which numbers are drawn. The values must not change between versions, since orders depend on them.
enum class SeedUse : std::uint64_t {
  weighted_draws = 1,
  bucket_order = 2,
  batch_mixing = 3,
};

// Returns a seed for one use. The user gives the same seed to the loader and its samplers: with that seed itself, the
// draw for position i would use the same random numbers that augment sample i. `which` (32 bits) distinguishes
// several orders of one use.
inline std::uint64_t derived_seed(std::uint64_t seed, SeedUse use, std::uint64_t which = 0) noexcept {
  return Rng(seed, which, ~static_cast<std::uint64_t>(use)).bits64();  // no dataset has so high an index
}

}  // namespace leat::detail
