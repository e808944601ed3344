#include "leat/loader/engine/diagnosis.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace leat::detail {

namespace {

constexpr std::uint64_t kBatchesToDiagnose = 10;
constexpr double kWaitsMuch = 0.10, kWaitsLittle = 0.02;
constexpr double kBusy = 0.80;

std::string advise_waiting(const LoaderStats& stats, double cpus) {
  const auto workers = static_cast<double>(stats.active_workers);
  if (stats.active_workers == 0) {
    return "the consumer loads for itself; give it workers (num_workers)";
  }
  if (stats.busy_share < kBusy) {
    return fmt::format(
        "the workers are busy {:.0f} % of the time only: let them work further ahead "
        "(prefetch_factor), release batches sooner, or hold fewer of them (max_held_batches)",
        100 * stats.busy_share);
  }
  if (workers + 1 <= cpus) {
    return fmt::format(
        "the workers are busy and there are CPUs left: raise num_workers (now {} of {:.3g} CPUs)",
        stats.active_workers, cpus);
  }
  return fmt::format(
      "{} workers keep {:.3g} CPUs busy: make samples cheaper (smaller files, fewer transforms, "
      "decoded records), or give it more CPUs",
      stats.active_workers, cpus);
}

std::string advise_idle(const LoaderStats& stats) {
  const double needed = std::ceil(stats.busy_share * stats.active_workers / kBusy);
  if (stats.active_workers == 0 || needed >= stats.active_workers) return "the loader keeps up";
  return fmt::format("the loader keeps up, and {:.0f} of its {} workers would do", std::fmax(needed, 1),
                     stats.active_workers);
}

}  // namespace

void diagnose(LoaderStats& stats, double cpus) {
  if (stats.batches < kBatchesToDiagnose || stats.seconds <= 0) {
    stats.bottleneck = Bottleneck::unknown;
    stats.advice = "too few batches to tell";
  } else if (stats.wait_share >= kWaitsMuch) {
    stats.bottleneck = Bottleneck::loader;
    stats.advice = advise_waiting(stats, cpus);
  } else if (stats.wait_share <= kWaitsLittle) {
    stats.bottleneck = Bottleneck::consumer;
    stats.advice = advise_idle(stats);
  } else {
    stats.bottleneck = Bottleneck::balanced;
    stats.advice = "loading and computing take about the same time";
  }
}

}  // namespace leat::detail
