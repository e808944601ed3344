// Plays a parent's life in a simulation under many schedules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "tests/interleaving/choices.h"
#include "tests/interleaving/simulation.h"

namespace leat::interleaving {

struct Machine {
  std::size_t workers = 2;
  std::size_t rows_per_chunk = 1;
  bool delay_weak_stores = false;
  Fault fault = Fault::none;
};

struct Outcome {
  std::size_t schedules = 0;
  std::size_t steps = 0;  // of the longest
  std::string failure;    // empty: all went well. Otherwise what went wrong, and the schedule
};

// Plays every schedule within the budget, up to the first that fails.
Outcome enumerate(const Machine& machine, const Budget& budget, const std::function<void()>& parent);

// Plays one random schedule.
Outcome play_random(const Machine& machine, const Budget& budget, const std::function<void()>& parent,
                    std::uint64_t seed);

}  // namespace leat::interleaving
