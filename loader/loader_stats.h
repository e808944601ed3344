/// \file
/// Figures on the progress of a loader, and advice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "leat/datasets/export.h"

namespace leat {

/// What holds up the loop of loading and computing.
enum class Bottleneck {
  unknown,   ///< fewer than ten batches, or no time to speak of
  loader,    ///< the consumer waits for data
  balanced,  ///< the consumer waits a little
  consumer,  ///< data wait for the consumer
};

/// Figures on one worker.
struct LEAT_EXPORT WorkerStats {
  double busy_share = 0;       ///< share of the time in which it loaded
  std::uint64_t samples = 0;   ///< samples that it loaded or found to be bad
  std::uint32_t restarts = 0;  ///< how often it was replaced
};

/// Figures on the current epoch, or the last one, since its beginning. Restarts and bad samples count since the loader
/// was made.
struct LEAT_EXPORT LoaderStats {
  double seconds = 0;             ///< time since the epoch began
  std::uint64_t batches = 0;      ///< batches delivered
  std::uint64_t samples = 0;      ///< samples in them
  double samples_per_second = 0;  ///< since the epoch began
  double wait_seconds = 0;        ///< time in which next() waited for data or, without workers, loaded
  double wait_share = 0;          ///< share of `seconds`

  std::size_t slots = 0;         ///< number of slots, the memory of one batch each
  std::size_t slots_leased = 0;  ///< slots that the consumer holds now
  /// Share of the batches in flight that were ready when next() was called, on average.
  double ready_share = 0;

  /// Number of workers that load. It differs from workers.size() if the loader chooses the number of workers.
  int active_workers = 0;
  std::vector<WorkerStats> workers;  ///< by number
  double busy_share = 0;             ///< mean over the active workers
  std::uint64_t restarts = 0;        ///< workers that died and were replaced
  std::uint64_t bad_samples = 0;     ///< samples that were skipped or substituted

  Bottleneck bottleneck = Bottleneck::unknown;  ///< what holds up the loop
  std::string advice;                           ///< one sentence
};

/// Returns a name for messages: "loader-bound".
LEAT_EXPORT const char* name_of(Bottleneck bottleneck) noexcept;

}  // namespace leat
