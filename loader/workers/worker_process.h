// Worker processes: what a worker process does before and after loading, and how it is asked for its stack.
#pragma once

#include <chrono>
#include <cstdint>

#include "leat/loader/os/library_threads.h"
#include "leat/loader/workers/worker.h"

namespace leat::detail {

/// The preparations for worker processes that must be made in the process that makes the loader, because they take
/// locks of the C library or the dynamic linker. If another thread holds such a lock at the moment of the fork, the
/// lock stays locked in the child forever.
struct WorkerProcessSetup {
  LibraryThreads libraries;

  /// Makes the preparations. Call it right before the fork. Also flushes standard output, and registers an exit
  /// handler: if a worker calls exit(), this handler ends the process before the exit handlers that the application
  /// has registered so far can run.
  static WorkerProcessSetup prepare(const WorkerOptions& options);
};

/// Exit statuses of worker processes. The user's code may exit with the same statuses.
inline constexpr int kWorkerInitFailed = 1, kWorkerLostDescriptor = 2;

/// Runs worker `worker` in the calling process, a child of the process `fork_server`. If that process ends, the
/// worker is killed. Returns the exit status.
int run_worker_process(const WorkerJob& job, const WorkerProcessSetup& setup, std::size_t worker,
                       int fork_server);

/// Asks a worker process, a child of the caller, for the stack of its loading thread. The constructor sends the
/// request.
class StackQuestion {
 public:
  enum class Then { go_on, wait_to_be_killed };

  StackQuestion(WorkerRecord& record, int pidfd, Then then);

  /// Waits until the answer is in WorkerRecord::stack, or until 50 ms after the request. If no answer comes, empties
  /// the stack and returns false. That happens if the worker is stopped, blocks the signal, has no handler for it any
  /// more, or cannot be interrupted in the kernel.
  bool wait_for_answer();

 private:
  WorkerRecord& record_;
  std::uint32_t noted_before_;
  bool asked_ = false;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace leat::detail
