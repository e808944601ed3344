// DataLoaderOptions, checked and filled in: what the loader's code reads.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "leat/loader/loader_options.h"

namespace leat::detail {

struct ResolvedLoaderOptions {
  std::size_t batch_size;
  int num_workers;  // at most
  bool tune;        // use as many of them as help
  WorkerKind worker_kind;
  std::size_t depth;             // batches in flight
  std::size_t max_held_batches;  // slots beside those
  std::size_t reorder_bytes;     // for spare slots; 0 where they would be of no use
  bool drop_last;
  std::chrono::nanoseconds timeout;  // 0: for ever
  std::uint64_t seed;
  std::chrono::nanoseconds sample_timeout;  // 0: none
  std::chrono::nanoseconds init_timeout;    // 0: none
  std::chrono::nanoseconds stall_warning;   // 0: never
  int worker_threads;                       // 0: as they are
};

// Throws ArgumentError that names the options which contradict each other, or the value and its range.
ResolvedLoaderOptions resolve(const DataLoaderOptions& options);

}  // namespace leat::detail
