// From measurements to a recommendation. Pure functions of their arguments.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "leat/loader/sweep_result.h"

namespace leat::detail {

/// Throws ArgumentError if there are no figures.
Distribution distribution_of(std::vector<double> figures);

/// Gathers the rounds by number of workers, rising, and says which runs can be relied on.
std::vector<SweepRun> summarize(std::span<const SweepRound> rounds, const SweepLimits& limits);

/// Starts at the smallest number of workers, and takes the next larger one that is faster than the one taken before by
/// more than the spread of either and by more than 5 %, as long as there is one. The runs must be in rising order of
/// workers, as summarize() returns them. Throws ArgumentError if there are no runs.
int recommend_workers(std::span<const SweepRun> runs);

/// Why the runs cannot be relied on; one sentence for each kind of reason, with the worst case of it.
std::vector<std::string> doubts_about(std::span<const SweepRun> runs, const SweepLimits& limits);

/// All of the above. Throws ArgumentError if there are no rounds.
SweepResult conclude(std::span<const SweepRound> rounds, const SweepLimits& limits);

}  // namespace leat::detail
