// Measures a loader once, in a process of its own.
#pragma once

#include <chrono>

#include "leat/loader/sweep.h"
#include "leat/loader/sweep_result.h"

namespace leat::detail {

struct Measurement {
  SweepRound round;
  SweptData data;  // without its name
};

/// Forks a process that makes the loader and takes batches from it for `time` after its first batch. Throws Error
/// with the text of what make_loader or the loader threw, or if the loader has no batches.
Measurement measure_loader(const MakeLoader& make_loader, int num_workers, std::chrono::milliseconds time);

}  // namespace leat::detail
