// What a worker does, whatever kind it is: claim a chunk of rows, have the dataset write them, say so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/datasets/dataset.h"
#include "leat/loader/slots/slot_table.h"
#include "leat/loader/workers/worker_options.h"

namespace leat::detail {

// Shared by the workers of a loader; all it refers to outlives them.
struct WorkerJob {
  SlotTable& table;
  const Dataset& dataset;
  const WorkerOptions& options;
};

// The id that chunks loaded on the caller's thread carry.
inline constexpr std::size_t kInlineWorker = 0xffff;

// Claims and loads one chunk on the caller's thread; false where there is none to claim. An exception of the
// dataset's goes into the chunk's failure record and ends the chunk.
bool load_one_chunk(const WorkerJob& job);

// Which of `cpus` worker `worker` of `workers` keeps to: neighbors, as many for each. All of them where that
// would leave fewer than two for one: then the system balances better.
std::vector<int> share_of(const std::vector<int>& cpus, std::size_t worker, std::size_t workers);

// Why a worker has ended.
enum class WorkerEnd {
  told,             // the table said stop
  init_failed,      // worker_init_fn threw; the worker's failure record says what
  lost_descriptor,  // see LostDescriptor; what it had loaded is there, but the parent does not know
};

// Runs worker_init_fn, then loads until the table says stop.
WorkerEnd run_worker(const WorkerJob& job, std::size_t worker);

}  // namespace leat::detail
