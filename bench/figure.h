// A measured time or size, beside what it must not exceed.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace leat::bench {

struct Figure {
  std::string name;
  std::string unit;
  double target = 0;
  std::vector<double> values;  // of the repetitions
};

double median(std::vector<double> values);
double percentile(std::vector<double> values, double share);  // 0.99: all but a hundredth are at most this

// Calls `once` as often as asked for and collects what it returns.
Figure measure(std::string name, std::string unit, double target, int repetitions,
               const std::function<double()>& once);

double milliseconds_of(const std::function<void()>& work);

}  // namespace leat::bench
