// The effect of other storage, a cache or more CPUs: predictions, of which the first is checked by a trial.
#pragma once

#include <vector>

#include "leat/loader/sweep_page.h"
#include "tools/sweep/sample_costs.h"
#include "tools/sweep/swept_images.h"

namespace leat::tools {

/// Predicts the effect of, in this order: leat records instead of files (if the images are files), a cache of
/// finished samples, and twice as many CPUs. The first prediction is checked: some of the images, spread over all
/// (2,000 or about 64 MiB at most), are copied to a temporary folder, or to memory, and loaded in turn with the
/// original images. Passes messages about its work to `say`.
std::vector<WhatIf> what_if(const SweptImages& images, const SweepOptions& options, const SweepResult& result,
                            const StepTimes& times, const Say& say);

}  // namespace leat::tools
