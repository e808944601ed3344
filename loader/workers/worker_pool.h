// The workers of a loader, whatever kind they are.
#pragma once

#include <memory>
#include <vector>

#include "leat/loader/errors.h"
#include "leat/loader/os/poll_deadline.h"
#include "leat/loader/workers/worker.h"

namespace leat::detail {

// Used by one thread at a time. The table has been told to stop before a pool is destroyed; the destructor
// waits for the workers' end.
class WorkerPool {
 public:
  virtual ~WorkerPool() = default;

  // Blocks until the table signals completion (true) or the deadline passes (false); may return true early.
  // The caller has called table.await() and looked at the table since. Throws WorkerError or WorkerInitError
  // where loading cannot go on, then and ever after.
  virtual bool wait(PollDeadline deadline) = 0;

  // Throws what wait() would throw, if it is known already; never blocks.
  virtual void throw_if_failed() = 0;

  virtual std::vector<int> pids() const = 0;  // of the worker processes that run now

  /// What each worker is doing, a line each: for somebody who waits for them in vain. With `stacks`, the calls that
  /// it is in are added where it can tell; that interrupts its system calls, and may take a while.
  virtual std::string describe_workers(bool stacks) = 0;

 protected:
  WorkerPool() = default;
  WorkerPool(const WorkerPool&) = default;
  WorkerPool& operator=(const WorkerPool&) = default;
};

// Everything `job` refers to outlives the pool. Throws SystemError where no worker can be started.
std::unique_ptr<WorkerPool> start_worker_processes(const WorkerJob& job);
std::unique_ptr<WorkerPool> start_worker_threads(const WorkerJob& job);

// For a worker whose worker_init_fn threw, as its record in the table says.
WorkerInitError init_error_of(const SlotTable& table, int worker);

// Throws Error if the loader's descriptors are no longer `ours`: other code of the process has closed them.
void require_ours(bool ours);

}  // namespace leat::detail
