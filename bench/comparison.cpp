#include "bench/comparison.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "bench/figure.h"

namespace leat::bench {

namespace {

constexpr const char* kLimit = "limit/s";
constexpr const char* kOurs = "leat/s";

struct Pair {
  std::string name;
  double target;
};

std::vector<Pair>& pairs() {
  static std::vector<Pair> all;
  return all;
}

// Samples per second, one value per repetition.
struct Rates {
  std::vector<double> limit, ours, ratio;
};

// Prints the usual report, and collects every repetition's rates by benchmark name.
class Collector final : public benchmark::ConsoleReporter {
 public:
  Collector() : ConsoleReporter(OO_Tabular) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const double limit = run.counters.at(kLimit), ours = run.counters.at(kOurs);
      Rates& rates = rates_[run.run_name.function_name];
      rates.limit.push_back(limit);
      rates.ours.push_back(ours);
      rates.ratio.push_back(ours / limit);
    }
  }

  // Returns nullptr if the benchmark did not run.
  const Rates* find(const std::string& name) const {
    const auto found = rates_.find(name);
    return found == rates_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, Rates> rates_;
};

// One side of a pair, and its samples and time in a repetition.
class Side {
 public:
  explicit Side(std::function<Epoch()> make) : make_(std::move(make)) {}

  // Must be called before each repetition. The first call warms up the page cache and the workers.
  void begin() {
    samples_ = 0;
    seconds_ = 0;
    if (epoch_) return;
    epoch_ = make_();
    epoch_();
  }

  // Runs one epoch and returns its duration in seconds.
  double run() {
    const double took = milliseconds_of([this] { samples_ += epoch_(); }) / 1000;
    seconds_ += took;
    return took;
  }

  double samples_per_second() const { return double(samples_) / seconds_; }

 private:
  std::function<Epoch()> make_;
  Epoch epoch_;
  std::size_t samples_ = 0;
  double seconds_ = 0;
};

// Alternates the two sides' epochs, so that both see the same load on the machine. They take turns at being first.
void run_in_turn(benchmark::State& state, Side& limit, Side& ours) {
  limit.begin();
  ours.begin();
  bool limit_first = true;
  while (state.KeepRunning()) {
    Side& first = limit_first ? limit : ours;
    Side& second = limit_first ? ours : limit;
    const double took = first.run();
    state.SetIterationTime(took + second.run());
    limit_first = !limit_first;
  }
  state.counters[kLimit] = limit.samples_per_second();
  state.counters[kOurs] = ours.samples_per_second();
}

}  // namespace

void add(const std::string& name, double target, std::function<Epoch()> make_limit,
         std::function<Epoch()> make_ours) {
  pairs().push_back({name, target});
  // Shared because Google Benchmark copies the closure.
  auto limit = std::make_shared<Side>(std::move(make_limit));
  auto ours = std::make_shared<Side>(std::move(make_ours));
  benchmark::RegisterBenchmark(name.c_str(),
                               [limit, ours](benchmark::State& state) { run_in_turn(state, *limit, *ours); })
      ->UseManualTime()
      ->MinTime(2)
      ->Unit(benchmark::kMillisecond);
}

void run_and_compare() {
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  benchmark::ClearRegisteredBenchmarks();  // ends the loaders
  fmt::print("\n{:<44} {:>14} {:>14} {:>7} {:>13} {:>7}\n", "samples/s, medians", "limit", "leat", "ratio",
             "from, to", "target");
  for (const Pair& pair : pairs()) {
    const Rates* const rates = collector.find(pair.name);
    if (rates == nullptr) continue;  // filtered out
    const auto [lowest, highest] = std::ranges::minmax(rates->ratio);
    fmt::print("{:<44} {:>14.0f} {:>14.0f} {:>7.2f} {:>6.2f} {:>6.2f} {:>7.2f}\n", pair.name,
               median(rates->limit), median(rates->ours), median(rates->ratio), lowest, highest, pair.target);
  }
}

}  // namespace leat::bench
