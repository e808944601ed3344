/// \file
/// The result of a sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leat/datasets/export.h"

namespace leat {

/// Limits up to which the figures of a sweep count as reliable. Shares are fractions: 0.1 is 10 %.
struct LEAT_EXPORT SweepLimits {
  /// Share of the usable CPUs that other programs may use while a number of workers is measured.
  double others_share = 0.10;
  double spread = 0.10;  ///< distance between the quartiles of the rounds, as a fraction of the median
  int rounds = 3;        ///< least number of rounds; fewer have no spread to speak of
};

/// One measurement: one number of workers in one round.
struct LEAT_EXPORT SweepRound {
  int round = 0;                      ///< number of the round, from 0
  int num_workers = 0;                ///< number of workers; with 0, the loader works on the caller's thread
  double seconds = 0;                 ///< time measured, after the first batch
  std::uint64_t samples = 0;          ///< number of samples loaded
  double first_batch_ms = 0;          ///< time of the first call of next(), after the loader was made
  double cpu_seconds = 0;             ///< CPU time of the measured processes, workers included
  double cpu_share = 0;               ///< the same as a share of the usable CPUs
  std::size_t peak_memory_bytes = 0;  ///< of this process and those it started
  std::uint64_t restarts = 0;         ///< workers that died and were replaced

  /// Share of the usable CPUs that other programs, or other guests of the machine's host, used meanwhile. nullopt if
  /// the kernel does not tell.
  std::optional<double> others_share = std::nullopt;
  /// Share of the time in which some task of the machine waited for a CPU, the sweep's own included (the kernel's
  /// pressure stall information). With more workers than CPUs it is high without any others.
  std::optional<double> cpu_pressure = std::nullopt;

  /// Returns the throughput.
  double samples_per_second() const noexcept { return static_cast<double>(samples) / seconds; }
  /// Returns the CPU time that a thousand samples took.
  double cpu_seconds_per_1000_samples() const noexcept {
    return cpu_seconds * 1000 / static_cast<double>(samples);
  }
};

/// The distribution of a figure over several rounds.
struct LEAT_EXPORT Distribution {
  double median = 0;          ///< interpolated linearly between the figures
  double lower_quartile = 0;  ///< interpolated linearly between the figures
  double upper_quartile = 0;  ///< interpolated linearly between the figures
  double lowest = 0;          ///< the least figure
  double highest = 0;         ///< the greatest figure

  /// Returns the distance between the quartiles.
  double spread() const noexcept { return upper_quartile - lower_quartile; }
  /// Returns that distance as a fraction of the median; 0 if the median is 0.
  double relative_spread() const noexcept { return median == 0 ? 0 : spread() / median; }
};

/// The figures of one number of workers over all rounds. Single figures are medians, unless they say otherwise.
struct LEAT_EXPORT SweepRun {
  int num_workers = 0;                                ///< the number of workers
  Distribution samples_per_second = {};               ///< throughput
  Distribution first_batch_ms = {};                   ///< time of the first call of next()
  double cpu_share = 0;                               ///< of the usable CPUs
  double cpu_seconds_per_1000_samples = 0;            ///< cost of the samples
  std::size_t peak_memory_bytes = 0;                  ///< greatest figure of all rounds
  std::optional<double> others_share = std::nullopt;  ///< over the time of all rounds
  std::optional<double> cpu_pressure = std::nullopt;  ///< over the time of all rounds
  std::uint64_t restarts = 0;                         ///< in all rounds
  bool trusted = true;                                ///< whether these figures keep to the limits
  std::vector<SweepRound> rounds = {};                ///< the measurements
};

/// Describes what was loaded.
struct LEAT_EXPORT SweptData {
  std::string what = {};             ///< a name for it, or empty
  std::size_t samples = 0;           ///< number of samples of the dataset
  std::size_t batch_size = 0;        ///< samples per batch; 0 if a batch sampler makes up the batches
  std::size_t bytes_per_sample = 0;  ///< size of a row of a delivered batch
  /// Size of the dataset on disk, if it is known.
  std::optional<std::uint64_t> stored_bytes = std::nullopt;
  /// Further settings: {"image_size", "224"}.
  std::vector<std::pair<std::string, std::string>> settings = {};
};

/// Describes the machine on which it was measured.
struct LEAT_EXPORT SweptMachine {
  double usable_cpus = 0;        ///< CPUs that the process may use; not necessarily a whole number
  int cpus = 0;                  ///< CPUs of the machine
  std::string cpu_model = {};    ///< as the kernel names it
  std::size_t memory_bytes = 0;  ///< memory of the machine
};

/// The figures of a sweep, and the number of workers that it recommends.
struct LEAT_EXPORT SweepResult {
  SweptData data = {};              ///< what was loaded
  SweptMachine machine = {};        ///< where it was measured
  SweepLimits limits = {};          ///< the limits by which the result is trusted
  double seconds_per_round = 0;     ///< time asked for, for one number of workers
  std::vector<SweepRun> runs = {};  ///< ascending by number of workers
  /// The recommended number of workers: no larger number is faster by more than the spread of the rounds and by more
  /// than 5 %, and each step from a smaller number to this one gains more than both.
  int recommended_num_workers = 0;
  /// Whether the figures can be relied on: see SweepLimits.
  bool trusted = true;
  std::vector<std::string> doubts = {};  ///< why it is not trusted, one sentence each

  /// Returns the run with the recommended number of workers. Throws ArgumentError if there are no runs.
  const SweepRun& recommended() const;
};

/// Returns the result as JSON, in several lines. docs/sweep.md lists its keys.
LEAT_EXPORT std::string to_json(const SweepResult& result);

}  // namespace leat
