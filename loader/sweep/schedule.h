// The order of the measurements of a sweep.
#pragma once

#include <vector>

namespace leat::detail {

/// Returns the numbers of workers in the order of round `round`. Each round begins one place further on, and every
/// other round goes backwards. So no number always comes first, or always after the same other number.
std::vector<int> round_order(std::vector<int> counts, int round);

}  // namespace leat::detail
