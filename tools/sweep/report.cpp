#include "tools/sweep/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "loader/base/errors.h"

namespace leat::tools {

int recommended_workers(std::span<const Measurement> runs) {
  if (runs.empty()) throw ArgumentError("nothing was measured, so nothing can be recommended");
  const double best = std::ranges::max(runs, {}, &Measurement::samples_per_second).samples_per_second;
  int smallest = std::ranges::max(runs, {}, &Measurement::num_workers).num_workers;
  for (const Measurement& run : runs) {
    if (run.samples_per_second >= 0.95 * best) smallest = std::min(smallest, run.num_workers);
  }
  return smallest;
}

std::string table_header() {
  return fmt::format("{:>7}  {:>10}  {:>14}  {:>5}  {:>10}  {:>15}", "workers", "samples/s", "first batch ms",
                     "CPU", "CPU s/1000", "peak memory MiB");
}

std::string table_row(const Measurement& run) {
  return fmt::format("{:>7}  {:>10.0f}  {:>14.1f}  {:>3.0f} %  {:>10.2f}  {:>15.1f}", run.num_workers,
                     run.samples_per_second, run.first_batch_ms, run.cpu_utilisation * 100,
                     run.cpu_seconds_per_1000_samples, run.peak_memory_mib);
}

std::string to_json(std::span<const Measurement> runs) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Measurement& run : runs) {
    list.push_back({{"num_workers", run.num_workers},
                    {"samples_per_second", run.samples_per_second},
                    {"first_batch_ms", run.first_batch_ms},
                    {"cpu_seconds_per_1000_samples", run.cpu_seconds_per_1000_samples},
                    {"peak_memory_mib", run.peak_memory_mib}});
  }
  const nlohmann::ordered_json all{{"runs", list}, {"recommended_num_workers", recommended_workers(runs)}};
  return all.dump(2) + "\n";
}

}  // namespace leat::tools
