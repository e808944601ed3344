#include "leat/loader/samplers/alias_table.h"

#include <algorithm>

namespace leat::detail {

namespace {

// Kahan summation. In a plain sum of a billion equal terms, the rounding errors add up to about ten terms.
double sum_of(const std::vector<double>& terms) {
  double sum = 0, excess = 0;
  for (const double term : terms) {
    const double corrected = term - excess;
    const double next = sum + corrected;
    excess = (next - sum) - corrected;
    sum = next;
  }
  return sum;
}

// Returns the weights in units of their mean, so that their sum is the number of columns. The weights are divided by
// the largest one first, so that the sum of very large weights is finite and that of very small ones is not zero.
std::vector<double> to_areas(std::span<const double> weights) {
  const double largest = *std::max_element(weights.begin(), weights.end());
  std::vector<double> areas;
  areas.reserve(weights.size());
  for (const double weight : weights) areas.push_back(weight / largest);
  const double mean = sum_of(areas) / static_cast<double>(areas.size());
  for (double& area : areas) area /= mean;
  return areas;
}

}  // namespace

AliasTable::AliasTable(std::span<const double> weights) : columns_(weights.size()) {
  std::vector<double> areas = to_areas(weights);
  std::vector<std::uint64_t> low, high;  // the indices that do not fill a column, and the others
  for (std::uint64_t i = 0; i < areas.size(); ++i) (areas[i] < 1 ? low : high).push_back(i);
  while (!low.empty() && !high.empty()) {
    const std::uint64_t lower = low.back(), higher = high.back();
    low.pop_back();
    columns_[lower] = {areas[lower], higher};
    areas[higher] -= 1 - areas[lower];
    if (areas[higher] >= 1) continue;
    high.pop_back();
    low.push_back(higher);
  }
  // The remaining indices have an area of 1, except for rounding errors, and keep their columns for themselves. But
  // if rounding errors have left an index of weight 0 here, its column goes to the index with the largest weight.
  const auto heaviest = std::max_element(weights.begin(), weights.end()) - weights.begin();
  for (const std::uint64_t i : low) {
    if (weights[i] == 0) columns_[i] = {0, static_cast<std::uint64_t>(heaviest)};
  }
}

}  // namespace leat::detail
