// WorkerPool: the workers of a loader, as processes or threads.
#pragma once

#include <memory>
#include <vector>

#include "leat/loader/errors.h"
#include "leat/loader/os/poll_deadline.h"
#include "leat/loader/workers/worker.h"

namespace leat::detail {

// Used by one thread at a time. The destructor tells the workers to stop, and waits until they have ended.
class WorkerPool {
 public:
  virtual ~WorkerPool() = default;

  // Blocks until the table signals completion (returns true) or the deadline passes (returns false). May return true
  // early. The caller must have called table.await() and must have checked the table after that. Throws WorkerError
  // or WorkerInitError if loading cannot continue; then every later call throws the same.
  virtual bool wait(PollDeadline deadline) = 0;

  // Throws what wait() would throw, if that is already known. Never blocks.
  virtual void throw_if_failed() = 0;

  virtual std::vector<int> pids() const = 0;  // process ids of the worker processes that run now

  /// Describes what each worker is doing, one line per worker, for messages about a wait that takes too long. With
  /// `stacks`, adds the stack of each worker process that answers. Asking for stacks interrupts system calls of the
  /// workers, and may take a while.
  virtual std::string describe_workers(bool stacks) = 0;

 protected:
  WorkerPool() = default;
  WorkerPool(const WorkerPool&) = default;
  WorkerPool& operator=(const WorkerPool&) = default;
};

// Starts the workers. Everything that `job` refers to must outlive the pool. Throws SystemError if no worker can be
// started.
std::unique_ptr<WorkerPool> start_worker_processes(const WorkerJob& job);
std::unique_ptr<WorkerPool> start_worker_threads(const WorkerJob& job);

// Returns the error of a worker whose worker_init_fn threw, from the worker's failure record in the table.
WorkerInitError init_error_of(const SlotTable& table, int worker);

// Throws Error unless `ours`: it is false if other code of the process has closed the loader's descriptors.
void require_ours(bool ours);

}  // namespace leat::detail
