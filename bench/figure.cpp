#include "bench/figure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace leat::bench {

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  const auto at = static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size() - 1)));
  return values[at];
}

double median(std::vector<double> values) {
  return percentile(std::move(values), 0.5);
}

Figure measure(std::string name, std::string unit, double target, int repetitions,
               const std::function<double()>& once) {
  Figure figure{std::move(name), std::move(unit), target, {}};
  for (int repetition = 0; repetition < repetitions; ++repetition) figure.values.push_back(once());
  return figure;
}

double milliseconds_of(const std::function<void()>& work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace leat::bench
