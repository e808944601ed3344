// How an epoch's samples are cut into batches.
#pragma once

#include <algorithm>
#include <cstddef>

namespace leat {

struct EpochPlan {
  std::size_t samples = 0;
  std::size_t batch_size = 1;
  bool drop_last = false;

  std::size_t batches() const noexcept {
    return samples / batch_size + (!drop_last && samples % batch_size != 0 ? 1 : 0);
  }
  std::size_t first(std::size_t batch) const noexcept {
    return batch * batch_size;
  }  // position of its first sample
  std::size_t rows(std::size_t batch) const noexcept { return std::min(batch_size, samples - first(batch)); }
};

// Rows that a worker claims at once: several runs per worker and batch, so that all workers build one batch
// together and finish nearly at the same time, but no more runs than kMaxRuns.
struct RunSizing {
  static constexpr std::size_t kRunsPerWorker = 4;
  static constexpr std::size_t kMaxRuns = 256;

  static std::size_t rows_per_run(std::size_t batch_size, std::size_t workers) noexcept {
    if (workers == 0) return batch_size;
    const std::size_t runs = std::clamp<std::size_t>(workers * kRunsPerWorker, 1, kMaxRuns);
    return (batch_size + runs - 1) / runs;
  }
};

}  // namespace leat
