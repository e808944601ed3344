// The workers of a loader, whatever kind they are.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "loader/base/warning.h"
#include "loader/workers/worker.h"

namespace leat {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;  // none: for ever

// Used by one thread at a time. The table has been told to stop before a pool is destroyed; the destructor
// waits for the workers' end.
class WorkerPool {
 public:
  virtual ~WorkerPool() = default;

  // Blocks until the table signals completion (true) or the deadline passes (false); may return true early.
  // The caller has called table.await() and looked at the table since. Throws WorkerError or WorkerInitError
  // where loading cannot go on, then and ever after.
  virtual bool wait(Deadline deadline) = 0;

  virtual std::vector<int> pids() const = 0;  // of the worker processes that run now

 protected:
  WorkerPool() = default;
  WorkerPool(const WorkerPool&) = default;
  WorkerPool& operator=(const WorkerPool&) = default;
};

struct WorkerPoolOptions {
  int workers = 1;
  std::chrono::nanoseconds sample_timeout{0};  // 0: none; processes only
  WarningHandler on_warning = nullptr;
};

// Everything `job` refers to outlives the pool. Throws SystemError where no worker can be started.
std::unique_ptr<WorkerPool> start_worker_processes(const WorkerJob& job, const WorkerPoolOptions& options);
std::unique_ptr<WorkerPool> start_worker_threads(const WorkerJob& job, const WorkerPoolOptions& options);

// Milliseconds until the deadline for poll(): -1 for none, rounded up, never below 0.
int poll_timeout(Deadline deadline);

}  // namespace leat
