// Tells whether the loader or its consumer is the bottleneck.
#pragma once

#include "leat/loader/loader_stats.h"

namespace leat::detail {

/// Fills in the bottleneck and the advice from the rest. `cpus` is how many the process may use.
void diagnose(LoaderStats& stats, double cpus);

}  // namespace leat::detail
