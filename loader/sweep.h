// How many workers does a loader need? leat-sweep for a program's own dataset.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "leat/loader/data_loader.h"
#include "leat/loader/sweep_result.h"

namespace leat {

/// Makes the loader with so many workers; everything else is as in training.
using MakeLoader = std::function<DataLoader(int num_workers)>;

struct SweepOptions {
  /// Numbers of workers to measure, each once, in any order. Empty: default_worker_counts() of the CPUs that the process
  /// may use.
  std::vector<int> num_workers = {};
  int rounds = 5;
  /// How long each number of workers is measured in each round, after its first batch.
  std::chrono::milliseconds round_time = std::chrono::seconds(1);
  SweepLimits limits = {};
  SweptData data = {};  ///< `what`, `stored_bytes` and `settings` go to the result as they are
  /// Called after each measurement.
  std::function<void(const SweepRound& round)> on_round = nullptr;
};

/// 0, the powers of two below the number of CPUs, and that number itself, rounded up.
std::vector<int> default_worker_counts(double cpus);

/// Measures the loader with each number of workers, in several rounds, and recommends one of the numbers:
///
///   const leat::SweepResult result = leat::sweep([&](int num_workers) {
///     return leat::DataLoader(train, {.batch_size = 256, .shuffle = true, .num_workers = num_workers});
///   });
///   if (result.trusted) use(result.recommended_num_workers);
///
/// Each round measures every number, in another order, so that what disturbs the machine for a while disturbs all of
/// them. Beside each measurement stands what other programs used of the CPUs meanwhile. Where that is too much, or the
/// rounds differ too much, the result is not trusted. A short measurement that is not counted goes first: it has the
/// data read into the page cache.
///
/// Each measurement runs in a forked process, where make_loader is called: what it changes in memory is not seen here.
/// The memory figures are of the calling process, too. Call this where a loader could be made: before there are other
/// threads or a CUDA context. Takes about (rounds + 1) * numbers * round_time.
///
/// Throws ArgumentError if an option is out of range, and Error with the text of what make_loader or the loader threw,
/// or if the loader has no batches.
SweepResult sweep(const MakeLoader& make_loader, const SweepOptions& options = {});

}  // namespace leat
