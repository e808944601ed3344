// How a loader is doing, and what to change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace leat {

/// What holds up the loop of loading and computing.
enum class Bottleneck {
  unknown,   // fewer than ten batches, or no time to speak of
  loader,    // the consumer waits for data
  balanced,  // it waits a little
  consumer,  // data wait for it
};

struct WorkerStats {
  double busy_share = 0;      // of the time, loading
  std::uint64_t samples = 0;  // loaded, or found to be bad
  std::uint32_t restarts = 0;
};

// Of the present epoch, or the last one, from its beginning on; restarts and bad samples of the loader's life.
struct LoaderStats {
  double seconds = 0;
  std::uint64_t batches = 0;  // delivered
  std::uint64_t samples = 0;  // in them
  double samples_per_second = 0;
  double wait_seconds = 0;  // that next() waited for data; without workers: that it loaded
  double wait_share = 0;    // of `seconds`

  std::size_t slots = 0;         // of the loader
  std::size_t slots_leased = 0;  // held by the consumer now
  double ready_share = 0;        // of the batches in flight, finished when next() was called; a mean

  int active_workers =
      0;  // those that load; differs from workers.size() where num_workers is chosen by the loader
  std::vector<WorkerStats> workers;
  double busy_share = 0;  // mean over the active workers
  std::uint64_t restarts = 0;
  std::uint64_t bad_samples = 0;

  Bottleneck bottleneck = Bottleneck::unknown;
  std::string advice;  // one sentence
};

const char* name_of(Bottleneck bottleneck) noexcept;  ///< "loader-bound"

}  // namespace leat
