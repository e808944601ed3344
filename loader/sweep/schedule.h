// In which order a sweep measures.
#pragma once

#include <vector>

namespace leat::detail {

/// The numbers of workers in the order of a round: each round begins one place further on, and every other round goes
/// backwards. So no number always comes first, or always behind the same other one.
std::vector<int> round_order(std::vector<int> counts, int round);

}  // namespace leat::detail
