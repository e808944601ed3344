// What a change would make of the throughput. Pure functions of their arguments.
#pragma once

#include <span>

#include "leat/loader/sweep_page.h"
#include "tools/sweep/sample_costs.h"

namespace leat::tools {

/// Samples per second if each sample takes `after` microseconds of CPU instead of `before`. As now where either is not
/// positive.
double predict_throughput(double now, double before, double after);

/// Microseconds that a sample takes from leat records instead of a file of its own: without opening and closing it.
double cost_from_records(const StepTimes& times);

/// Microseconds that a finished sample takes from a cache: copying it, and the loader's own work.
double cost_from_cache(const StepTimes& times);

/// Samples per second with `factor` times as many CPUs and workers: as many times more if the CPUs were busy
/// with the recommended number of workers, whoever used them; otherwise as now.
double predict_cpus(const SweepResult& result, double factor);

/// Two ways to load the same images, measured in turns.
struct Trial {
  SweepRound before;
  SweepRound after;
};

/// Fills `measured` in: `now` times how much faster the change was in each trial. It can be relied on if the ratios
/// spread, and others used the CPUs, within the limits. Throws ArgumentError without trials.
void add_measurement(WhatIf& what_if, std::span<const Trial> trials, const SweepLimits& limits);

}  // namespace leat::tools
