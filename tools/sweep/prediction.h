// Predictions of how a change would affect the throughput. Pure functions of their arguments.
#pragma once

#include <span>

#include "leat/loader/sweep_page.h"
#include "tools/sweep/sample_costs.h"

namespace leat::tools {

/// Returns the samples per second if each sample takes `after` microseconds of CPU instead of `before`. Returns `now`
/// if either is not positive.
double predict_throughput(double now, double before, double after);

/// Returns the microseconds for a sample from leat records instead of a file of its own: without opening and closing
/// it.
double cost_from_records(const StepTimes& times);

/// Returns the microseconds for a finished sample from a cache: copying it, and the loader's own work.
double cost_from_cache(const StepTimes& times);

/// Returns the samples per second with `factor` times as many CPUs and workers: `factor` times as many, if the CPUs
/// were busy with the recommended number of workers, no matter which programs used them; otherwise the same number.
double predict_cpus(const SweepResult& result, double factor);

/// Two ways to load the same images, measured in turn.
struct Trial {
  SweepRound before;
  SweepRound after;
};

/// Sets `measured` to `now`, multiplied by how much faster the change was in each trial. It is trusted if the spread
/// of the ratios and the CPU use of other programs are within the limits. Throws ArgumentError without trials.
void add_measurement(WhatIf& what_if, std::span<const Trial> trials, const SweepLimits& limits);

}  // namespace leat::tools
