/// \file
/// The search for the number of workers that a loader needs, which leat-sweep does, for a program's own dataset.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/loader/data_loader.h"
#include "leat/loader/sweep_result.h"

namespace leat {

/// Makes the loader with this number of workers; everything else is as in training.
using MakeLoader = std::function<DataLoader(int num_workers)>;

/// Options of sweep().
struct LEAT_EXPORT SweepOptions {
  /// Numbers of workers to measure, each once, in any order. Empty: default_worker_counts() of the CPUs that the
  /// process may use.
  std::vector<int> num_workers = {};
  int rounds = 5;  ///< number of rounds
  /// How long each number of workers is measured in each round, after its first batch.
  std::chrono::milliseconds round_time = std::chrono::seconds(1);
  SweepLimits limits = {};  ///< when the result is trusted
  SweptData data = {};      ///< its `what`, `stored_bytes` and `settings` are copied to the result
  /// Called after each measurement.
  std::function<void(const SweepRound& round)> on_round = nullptr;
};

/// Returns 0, the powers of two below the number of CPUs, and that number itself, rounded up.
LEAT_EXPORT std::vector<int> default_worker_counts(double cpus);

/// Measures the loader with each number of workers, in several rounds, and recommends one of the numbers:
///
///   const leat::SweepResult result = leat::sweep([&](int num_workers) {
///     return leat::DataLoader(train, {.batch_size = 256, .shuffle = true, .num_workers = num_workers});
///   });
///   if (result.trusted) use(result.recommended_num_workers);
///
/// Each round measures every number, in another order, so that what disturbs the machine for a while disturbs all of
/// them. Each measurement records what other programs used of the CPUs meanwhile. If that is too much, or if the rounds
/// differ too much, the result is not trusted. A short measurement that does not count goes first, so that the data are
/// in the page cache.
///
/// Each measurement runs in a forked process, where make_loader is called: what it changes in memory is not seen here.
/// The memory figures are of the calling process, too. Call this where a loader could be made: before there are other
/// threads or a CUDA context. Takes about (rounds + 1) * numbers * round_time.
///
/// Throws ArgumentError if an option is out of range, and Error with the text of what make_loader or the loader threw,
/// or if the loader has no batches.
LEAT_EXPORT SweepResult sweep(const MakeLoader& make_loader, const SweepOptions& options = {});

}  // namespace leat
