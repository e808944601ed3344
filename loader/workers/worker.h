// The work of a worker of any kind: claim a chunk of rows, have the dataset write them, and mark the chunk as
// finished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/datasets/dataset.h"
#include "leat/loader/slots/slot_table.h"
#include "leat/loader/workers/worker_options.h"

namespace leat::detail {

// The job that all workers of a loader share. Everything that it refers to must outlive the workers.
struct WorkerJob {
  SlotTable& table;
  const Dataset& dataset;
  const WorkerOptions& options;
};

// The worker id in the words of chunks that are loaded on the caller's thread.
inline constexpr std::size_t kInlineWorker = 0xffff;

// Claims and loads one chunk on the caller's thread. Returns false if there is none to claim. If the dataset throws,
// the exception is written to the chunk's failure record, and loading of the chunk ends.
bool load_one_chunk(const WorkerJob& job);

// Returns the part of `cpus` that worker `worker` of `workers` workers runs on: consecutive CPUs, the same number for
// each worker as far as possible. Returns all CPUs if there are fewer than two for each worker, since the system then
// balances the load better.
std::vector<int> share_of(const std::vector<int>& cpus, std::size_t worker, std::size_t workers);

// The reason why a worker has ended.
enum class WorkerEnd {
  told,             // the table told it to stop
  init_failed,      // worker_init_fn threw; the worker's failure record describes it
  lost_descriptor,  // see LostDescriptor; its last chunk is loaded, but the parent was not signaled
};

// Runs worker_init_fn, then loads until the table tells the workers to stop.
WorkerEnd run_worker(const WorkerJob& job, std::size_t worker);

}  // namespace leat::detail
