#include "leat/loader/sweep/conclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "leat/datasets/errors.h"

namespace leat::detail {
namespace {

constexpr double kWorthwhile = 0.05;  // least gain that is worth more workers, as a share of the higher speed

// Returns a quantile, interpolated linearly between the two figures next to it. `figures` must be sorted.
double quantile(const std::vector<double>& figures, double share) {
  const double place = share * static_cast<double>(figures.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, figures.size() - 1);
  return std::lerp(figures[below], figures[above], place - static_cast<double>(below));
}

template <class Figure>
Distribution distribution_over(const std::vector<SweepRound>& rounds, Figure&& figure) {
  std::vector<double> figures;
  for (const SweepRound& round : rounds) figures.push_back(figure(round));
  return distribution_of(std::move(figures));
}

// Returns the share over the time of all rounds, or nullopt if it is missing in any round.
std::optional<double> share_over(const std::vector<SweepRound>& rounds,
                                 std::optional<double> SweepRound::*share) {
  double sum = 0, seconds = 0;
  for (const SweepRound& round : rounds) {
    if (!(round.*share)) return std::nullopt;
    sum += *(round.*share) * round.seconds;
    seconds += round.seconds;
  }
  return sum / seconds;
}

SweepRun run_of(std::vector<SweepRound> rounds) {
  SweepRun run;
  run.num_workers = rounds.front().num_workers;
  run.samples_per_second = distribution_over(rounds, [](const auto& r) { return r.samples_per_second(); });
  run.first_batch_ms = distribution_over(rounds, [](const auto& r) { return r.first_batch_ms; });
  run.cpu_share = distribution_over(rounds, [](const auto& r) { return r.cpu_share; }).median;
  run.cpu_seconds_per_1000_samples =
      distribution_over(rounds, [](const auto& r) { return r.cpu_seconds_per_1000_samples(); }).median;
  run.others_share = share_over(rounds, &SweepRound::others_share);
  run.cpu_pressure = share_over(rounds, &SweepRound::cpu_pressure);
  for (const SweepRound& round : rounds) {
    run.peak_memory_bytes = std::max(run.peak_memory_bytes, round.peak_memory_bytes);
    run.restarts += round.restarts;
  }
  run.rounds = std::move(rounds);
  return run;
}

std::string workers_in_words(int workers) {
  return fmt::format("{} worker{}", workers, workers == 1 ? "" : "s");
}

bool beats(const SweepRun& run, const SweepRun& other) {
  const Distribution &a = run.samples_per_second, &b = other.samples_per_second;
  return a.median - b.median > std::max({kWorthwhile * a.median, a.spread(), b.spread()});
}

}  // namespace

Distribution distribution_of(std::vector<double> figures) {
  if (figures.empty()) throw ArgumentError("a distribution of no figures was asked for");
  std::ranges::sort(figures);
  return {.median = quantile(figures, 0.5),
          .lower_quartile = quantile(figures, 0.25),
          .upper_quartile = quantile(figures, 0.75),
          .lowest = figures.front(),
          .highest = figures.back()};
}

std::vector<SweepRun> summarize(std::span<const SweepRound> rounds, const SweepLimits& limits) {
  std::map<int, std::vector<SweepRound>> by_workers;
  for (const SweepRound& round : rounds) by_workers[round.num_workers].push_back(round);
  std::vector<SweepRun> runs;
  for (auto& [workers, own] : by_workers) {
    runs.push_back(run_of(std::move(own)));
    runs.back().trusted = doubts_about(std::span(&runs.back(), 1), limits).empty();
  }
  return runs;
}

int recommend_workers(std::span<const SweepRun> runs) {
  if (runs.empty()) throw ArgumentError("nothing was measured, so nothing can be recommended");
  const SweepRun* choice = &runs.front();
  for (const SweepRun& run : runs) {
    if (beats(run, *choice)) choice = &run;
  }
  return choice->num_workers;
}

std::vector<std::string> doubts_about(std::span<const SweepRun> runs, const SweepLimits& limits) {
  std::vector<std::string> doubts;
  if (runs.empty()) return doubts;
  const auto others = [](const SweepRun& run) { return run.others_share.value_or(0); };
  const auto spread = [](const SweepRun& run) { return run.samples_per_second.relative_spread(); };
  const auto rounds = [](const SweepRun& run) { return run.rounds.size(); };

  if (const SweepRun& worst = *std::ranges::max_element(runs, {}, others);
      others(worst) > limits.others_share) {
    doubts.push_back(fmt::format("others used {:.0f} % of the CPUs in the rounds with {} (limit {:.0f} %)",
                                 100 * others(worst), workers_in_words(worst.num_workers),
                                 100 * limits.others_share));
  }
  if (const SweepRun& worst = *std::ranges::max_element(runs, {}, spread); spread(worst) > limits.spread) {
    doubts.push_back(fmt::format("the rounds with {} spread over {:.0f} % of their median (limit {:.0f} %)",
                                 workers_in_words(worst.num_workers), 100 * spread(worst),
                                 100 * limits.spread));
  }
  if (const SweepRun& least = *std::ranges::min_element(runs, {}, rounds);
      std::cmp_less(rounds(least), limits.rounds)) {
    doubts.push_back(fmt::format("{} round{} show no spread (at least {} do)", rounds(least),
                                 rounds(least) == 1 ? "" : "s", limits.rounds));
  }
  for (const SweepRun& run : runs) {
    if (run.restarts == 0) continue;
    doubts.push_back(
        fmt::format("of {}, {} died and were replaced", workers_in_words(run.num_workers), run.restarts));
    break;
  }
  return doubts;
}

SweepResult conclude(std::span<const SweepRound> rounds, const SweepLimits& limits) {
  SweepResult result;
  result.limits = limits;
  result.runs = summarize(rounds, limits);
  result.recommended_num_workers = recommend_workers(result.runs);
  result.doubts = doubts_about(result.runs, limits);
  result.trusted = result.doubts.empty();
  return result;
}

}  // namespace leat::detail
