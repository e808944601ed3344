// A measured time or size, and its target, which it must not exceed.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace leat::bench {

struct Figure {
  std::string name;
  std::string unit;
  double target = 0;
  std::vector<double> values;  // one value per repetition
};

double median(std::vector<double> values);
double percentile(std::vector<double> values, double share);  // 0.99: at most 1 % are greater

// Calls `once` for each repetition and collects the results.
Figure measure(std::string name, std::string unit, double target, int repetitions,
               const std::function<double()>& once);

double milliseconds_of(const std::function<void()>& work);

}  // namespace leat::bench
