#include "leat/loader/sweep/schedule.h"

#include <algorithm>
#include <iterator>

namespace leat::detail {

std::vector<int> round_order(std::vector<int> counts, int round) {
  if (counts.empty()) return counts;
  std::ranges::rotate(counts, counts.begin() + round % std::ssize(counts));
  if (round % 2 == 1) std::ranges::reverse(counts);
  return counts;
}

}  // namespace leat::detail
