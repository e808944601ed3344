// The workers of a loader, whatever kind they are.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "loader/data_loader.h"
#include "loader/worker.h"

namespace leat {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;  // none: for ever

// Used by one thread at a time. The table has been told to stop before a pool is destroyed; the destructor
// waits for the workers' end.
class WorkerPool {
 public:
  virtual ~WorkerPool() = default;

  // Blocks until the table signals completion (true) or the deadline passes (false); may return true early.
  // The caller has called table.await() and looked at the table since. Throws WorkerError or WorkerInitError
  // where a worker has failed.
  virtual bool wait(Deadline deadline) = 0;

  virtual std::vector<int> pids() const = 0;  // of worker processes

 protected:
  WorkerPool() = default;
  WorkerPool(const WorkerPool&) = default;
  WorkerPool& operator=(const WorkerPool&) = default;
};

// Everything `job` refers to outlives the pool. Throws SystemError where workers cannot be started.
std::unique_ptr<WorkerPool> start_worker_processes(const WorkerJob& job, int workers);
std::unique_ptr<WorkerPool> start_worker_threads(const WorkerJob& job, int workers);

// Milliseconds until the deadline for poll(): -1 for none, rounded up, never below 0.
int poll_timeout(Deadline deadline);

}  // namespace leat
