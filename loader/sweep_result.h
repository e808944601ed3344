// What a sweep found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace leat {

/// When the figures of a sweep count as reliable. Shares are fractions: 0.1 is 10 %.
struct SweepLimits {
  double others_share =
      0.10;  ///< of the usable CPUs, that other programs may use while one number of workers is measured
  double spread = 0.10;  ///< of the median, between the quartiles of the rounds
  int rounds = 3;        ///< at least; fewer have no spread to speak of
};

/// One measurement: one number of workers in one round.
struct SweepRound {
  int round = 0;        ///< from 0
  int num_workers = 0;  ///< 0: the loader works on the caller's thread
  double seconds = 0;   ///< measured, after the first batch
  std::uint64_t samples = 0;
  double first_batch_ms = 0;  ///< time of the first call of next(), after the loader was made
  double cpu_seconds = 0;     ///< used by the measured processes, the workers among them
  double cpu_share = 0;       ///< the same as a share of the usable CPUs
  std::size_t peak_memory_bytes = 0;
  std::uint64_t restarts = 0;  ///< workers that died and were replaced

  /// Share of the usable CPUs that other programs, or other guests of the machine's host, used meanwhile. nullopt if
  /// the kernel does not tell.
  std::optional<double> others_share = std::nullopt;
  /// Share of the time in which some task of the machine waited for a CPU, the sweep's own included (the kernel's
  /// pressure stall information). With more workers than CPUs it is high without any others.
  std::optional<double> cpu_pressure = std::nullopt;

  double samples_per_second() const noexcept { return static_cast<double>(samples) / seconds; }
  double cpu_seconds_per_1000_samples() const noexcept {
    return cpu_seconds * 1000 / static_cast<double>(samples);
  }
};

/// Where the figures of several rounds lie.
struct Distribution {
  double median = 0;
  double lower_quartile = 0, upper_quartile = 0;  ///< interpolated linearly between the figures
  double lowest = 0, highest = 0;

  double spread() const noexcept { return upper_quartile - lower_quartile; }
  double relative_spread() const noexcept { return median == 0 ? 0 : spread() / median; }
};

/// One number of workers over all rounds. Figures without a spread are medians, except where it says otherwise.
struct SweepRun {
  int num_workers = 0;
  Distribution samples_per_second = {};
  Distribution first_batch_ms = {};
  double cpu_share = 0;
  double cpu_seconds_per_1000_samples = 0;
  std::size_t peak_memory_bytes = 0;                  ///< the greatest of all rounds
  std::optional<double> others_share = std::nullopt;  ///< over the time of all rounds
  std::optional<double> cpu_pressure = std::nullopt;  ///< over the time of all rounds
  std::uint64_t restarts = 0;                         ///< in all rounds
  bool trusted = true;
  std::vector<SweepRound> rounds = {};
};

/// What was loaded.
struct SweptData {
  std::string what = {};             ///< names it; empty if nobody did
  std::size_t samples = 0;           ///< of the dataset
  std::size_t batch_size = 0;        ///< 0: a batch sampler makes up the batches
  std::size_t bytes_per_sample = 0;  ///< of a delivered batch, for each of its rows
  std::optional<std::uint64_t> stored_bytes =
      std::nullopt;  ///< of the dataset on disk, if somebody counted them
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< such as {"image_size", "224"}
};

/// Where it was measured.
struct SweptMachine {
  double usable_cpus = 0;  ///< that the process may use; not necessarily a whole number
  int cpus = 0;            ///< of the machine
  std::string cpu_model = {};
  std::size_t memory_bytes = 0;  ///< of the machine
};

struct SweepResult {
  SweptData data = {};
  SweptMachine machine = {};
  SweepLimits limits = {};
  double seconds_per_round = 0;     ///< as asked for, for one number of workers
  std::vector<SweepRun> runs = {};  ///< by number of workers, rising
  /// No larger number is faster by more than the spread of the rounds and by more than 5 %, and each step from a smaller
  /// number to this one gains more than both.
  int recommended_num_workers = 0;
  /// Whether the figures can be relied on: see SweepLimits.
  bool trusted = true;
  std::vector<std::string> doubts = {};  ///< why not, one sentence each; empty if trusted

  const SweepRun& recommended() const;  ///< throws ArgumentError if there are no runs
};

/// The result as JSON, in several lines. docs/sweep.md lists its keys.
std::string to_json(const SweepResult& result);

}  // namespace leat
