// Computes the recommendation of a sweep from its measurements. Pure functions of their arguments.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "leat/loader/sweep_result.h"

namespace leat::detail {

/// Computes the distribution of some figures. Throws ArgumentError if there are none.
Distribution distribution_of(std::vector<double> figures);

/// Groups the rounds by number of workers, ascending, and says which runs can be relied on.
std::vector<SweepRun> summarize(std::span<const SweepRound> rounds, const SweepLimits& limits);

/// Returns the recommended number of workers. The search starts at the smallest number. It moves on to the next
/// larger number that is faster than the current one by more than the spread of either and by more than 5 %, as long
/// as there is one. The runs must be in ascending order of workers, as summarize() returns them. Throws ArgumentError
/// if there are no runs.
int recommend_workers(std::span<const SweepRun> runs);

/// Returns why the runs cannot be relied on: one sentence for each kind of reason, with its worst case.
std::vector<std::string> doubts_about(std::span<const SweepRun> runs, const SweepLimits& limits);

/// Computes the result of a sweep with the functions above. Throws ArgumentError if there are no rounds.
SweepResult conclude(std::span<const SweepRound> rounds, const SweepLimits& limits);

}  // namespace leat::detail
