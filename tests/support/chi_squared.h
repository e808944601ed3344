// Pearson's test of counts against expected counts.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace leat::test {

inline double chi_squared(const std::vector<double>& counts, const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    sum += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
  }
  return sum;
}

// What chi squared exceeds with a probability of 1e-4 where the expectation is right: Wilson and Hilferty's
// approximation, too high by 5 % at 2 degrees of freedom, by less from there on. Tests fix their seeds, so
// they cannot flicker.
inline double chi_squared_limit(double freedom) {
  constexpr double kNormalQuantile = 3.719016;  // of 1 - 1e-4
  const double spread = 2 / (9 * freedom);
  return freedom * std::pow(1 - spread + kNormalQuantile * std::sqrt(spread), 3);
}

}  // namespace leat::test
