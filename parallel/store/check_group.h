// A check of lists of ranks.
#pragma once

#include <span>

#include "leat/parallel/world_settings.h"

namespace leat::detail {

// Throws ArgumentError unless `ranks` are different ranks of the world, the own one among them.
void check_group(std::span<const int> ranks, const WorldSettings& world);

}  // namespace leat::detail
