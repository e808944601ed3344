#include "bench/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace leat::bench {

namespace {

constexpr const char* kLimit = "/limit";
constexpr const char* kOurs = "/leat";

struct Pair {
  std::string name;
  double target;
};

std::vector<Pair>& pairs() {
  static std::vector<Pair> all;
  return all;
}

// The usual report, and every repetition's rate by benchmark name.
class Collector final : public benchmark::ConsoleReporter {
 public:
  Collector() : ConsoleReporter(OO_Tabular) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      const auto rate = run.counters.find("items_per_second");
      if (run.run_type == Run::RT_Iteration && rate != run.counters.end()) {
        rates_[run.run_name.function_name].push_back(rate->second);
      }
    }
  }

  double median(const std::string& name) {
    std::vector<double>& rates = rates_[name];
    if (rates.empty()) return 0;
    std::sort(rates.begin(), rates.end());
    return rates[rates.size() / 2];
  }

 private:
  std::map<std::string, std::vector<double>> rates_;
};

void register_side(const std::string& name, std::function<Epoch()> make) {
  auto epoch = std::make_shared<Epoch>();  // shared: Google Benchmark copies the closure
  const auto body = [epoch, make = std::move(make)](benchmark::State& state) {
    if (!*epoch) {
      *epoch = make();
      (*epoch)();  // warm up: page cache, workers
    }
    std::size_t samples = 0;
    for (auto _ : state) samples += (*epoch)();
    state.SetItemsProcessed(static_cast<std::int64_t>(samples));
  };
  benchmark::RegisterBenchmark(name.c_str(), body)->UseRealTime()->Unit(benchmark::kMillisecond);
}

}  // namespace

void add(const std::string& name, double target, std::function<Epoch()> make_limit,
         std::function<Epoch()> make_ours) {
  pairs().push_back({name, target});
  register_side(name + kLimit, std::move(make_limit));
  register_side(name + kOurs, std::move(make_ours));
}

void run_and_compare() {
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  benchmark::ClearRegisteredBenchmarks();  // ends the loaders
  fmt::print("\n{:<44} {:>14} {:>14} {:>7} {:>7}\n", "samples/s, medians", "limit", "leat", "ratio",
             "target");
  for (const Pair& pair : pairs()) {
    const double limit = collector.median(pair.name + kLimit);
    const double ours = collector.median(pair.name + kOurs);
    if (limit == 0 || ours == 0) continue;  // filtered out
    fmt::print("{:<44} {:>14.0f} {:>14.0f} {:>7.2f} {:>7.2f}\n", pair.name, limit, ours, ours / limit,
               pair.target);
  }
}

}  // namespace leat::bench
