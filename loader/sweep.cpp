#include "leat/loader/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leat/datasets/errors.h"
#include "leat/loader/os/cpus.h"
#include "leat/loader/sweep/conclusion.h"
#include "leat/loader/sweep/machine_usage.h"
#include "leat/loader/sweep/measurement.h"
#include "leat/loader/sweep/schedule.h"

namespace leat {

using namespace detail;

namespace {

// Returns the numbers of workers to measure, ascending. Throws ArgumentError if an option is out of range.
std::vector<int> checked(const SweepOptions& options) {
  if (options.rounds < 1)
    throw ArgumentError(fmt::format("a sweep of {} rounds: give at least 1", options.rounds));
  if (options.round_time.count() <= 0) {
    throw ArgumentError(fmt::format("a round of {} ms: give more than 0", options.round_time.count()));
  }
  std::vector<int> counts = options.num_workers;
  if (counts.empty()) counts = default_worker_counts(usable_cpus());
  std::ranges::sort(counts);
  counts.erase(std::ranges::unique(counts).begin(), counts.end());
  if (counts.front() < 0) {
    throw ArgumentError(fmt::format("a sweep over {} workers: give numbers from 0 up", counts.front()));
  }
  return counts;
}

}  // namespace

std::vector<int> default_worker_counts(double cpus) {
  const int whole = std::max(1, static_cast<int>(std::ceil(cpus)));
  std::vector<int> counts{0};
  for (int count = 1; count < whole; count *= 2) counts.push_back(count);
  counts.push_back(whole);
  return counts;
}

SweepResult sweep(const MakeLoader& make_loader, const SweepOptions& options) {
  const std::vector<int> counts = checked(options);
  const SweptData seen =
      measure_loader(make_loader, counts.back(), options.round_time).data;  // warms the page cache
  std::vector<SweepRound> rounds;
  for (int round = 0; round < options.rounds; ++round) {
    for (const int workers : round_order(counts, round)) {
      rounds.push_back(measure_loader(make_loader, workers, options.round_time).round);
      rounds.back().round = round;
      if (options.on_round) options.on_round(rounds.back());
    }
  }
  SweepResult result = conclude(rounds, options.limits);
  result.data = options.data;
  result.data.samples = seen.samples;
  result.data.batch_size = seen.batch_size;
  result.data.bytes_per_sample = seen.bytes_per_sample;
  result.machine = describe_machine();
  result.seconds_per_round = std::chrono::duration<double>(options.round_time).count();
  return result;
}

}  // namespace leat
