#include "leat/loader/sweep_result.h"

#include <algorithm>

#include "leat/datasets/errors.h"

namespace leat {

const SweepRun& SweepResult::recommended() const {
  const auto found = std::ranges::find(runs, recommended_num_workers, &SweepRun::num_workers);
  if (found == runs.end()) throw ArgumentError("a sweep without runs recommends nothing");
  return *found;
}

}  // namespace leat
