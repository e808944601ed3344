#include "tools/sweep/prediction.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "leat/loader/sweep/conclusion.h"

namespace leat::tools {

using namespace detail;

namespace {

constexpr double kBusy = 0.8;  // share of the CPUs in use from which more CPUs help

}  // namespace

double predict_throughput(double now, double before, double after) {
  return before > 0 && after > 0 ? now * before / after : now;
}

double cost_from_records(const StepTimes& times) {
  return times.deliver - std::clamp(times.read - times.read_open, 0.0, times.deliver / 2);
}

double cost_from_cache(const StepTimes& times) {
  return times.copy + std::max(0.0, times.deliver - times.sample);
}

double predict_cpus(const SweepResult& result, double factor) {
  const SweepRun& run = result.recommended();
  return run.samples_per_second.median * (run.cpu_share + run.others_share.value_or(0) >= kBusy ? factor : 1);
}

void add_measurement(WhatIf& what_if, std::span<const Trial> trials, const SweepLimits& limits) {
  std::vector<double> speeds;
  std::vector<SweepRound> rounds;
  for (const auto& [before, after] : trials) {
    speeds.push_back(what_if.now * after.samples_per_second() / before.samples_per_second());
    rounds.insert(rounds.end(), {before, after});
  }
  what_if.measured = distribution_of(std::move(speeds));
  const SweepLimits others_only{.others_share = limits.others_share, .spread = 1e9, .rounds = 1};
  what_if.trusted = what_if.measured->relative_spread() <= limits.spread &&
                    doubts_about(summarize(rounds, others_only), others_only).empty();
}

}  // namespace leat::tools
