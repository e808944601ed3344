// Rounds of a sweep with given figures.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "leat/loader/sweep_result.h"

namespace leat::test {

/// A round of one second at `speed` samples per second, with `others` used by others.
inline SweepRound round_at(int workers, std::uint64_t speed, std::optional<double> others = 0.0) {
  return {.num_workers = workers,
          .seconds = 1,
          .samples = speed,
          .first_batch_ms = 10,
          .cpu_seconds = 0.5,
          .cpu_share = 0.25,
          .peak_memory_bytes = std::size_t{3} << 20,
          .others_share = others,
          .cpu_pressure = 0.0};
}

using Speeds =
    std::vector<std::pair<int, std::vector<std::uint64_t>>>;  // of each number of workers, round by round

inline std::vector<SweepRound> rounds_at(const Speeds& speeds, std::optional<double> others = 0.0) {
  std::vector<SweepRound> rounds;
  for (const auto& [workers, figures] : speeds) {
    int number = 0;
    for (const std::uint64_t speed : figures) {
      rounds.push_back(round_at(workers, speed, others));
      rounds.back().round = number++;
    }
  }
  return rounds;
}

}  // namespace leat::test
