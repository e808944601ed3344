// A worker as a process of its own: what it does before, around and after loading.
#pragma once

#include <chrono>
#include <cstdint>

#include "leat/loader/os/library_threads.h"
#include "leat/loader/workers/worker.h"

namespace leat::detail {

/// Everything that a worker process needs and that only the process which makes the loader can get: what takes locks of
/// the C library or the dynamic linker, which threads may hold at the moment of the fork, and then for ever in the
/// child.
struct WorkerProcessSetup {
  LibraryThreads libraries;

  /// Call it right before the fork. Also registers the handler that keeps exit() in a worker from running the exit
  /// handlers of the application, those registered so far included.
  static WorkerProcessSetup prepare(const WorkerOptions& options);
};

/// Exit statuses of worker processes. Code of the user's may exit with the same.
inline constexpr int kWorkerInitFailed = 1, kWorkerLostDescriptor = 2;

/// Runs worker `worker` in a child of the process `fork_server`, which it does not survive; the exit status.
int run_worker_process(const WorkerJob& job, const WorkerProcessSetup& setup, std::size_t worker,
                       int fork_server);

/// Asks a worker process, a child of the caller, for the calls that its loading thread is in.
class StackQuestion {
 public:
  enum class Then { go_on, wait_to_be_killed };

  StackQuestion(WorkerRecord& record, int pidfd, Then then);

  /// Waits a moment for the answer in WorkerRecord::stack. False, and an empty stack, if none comes: the worker is
  /// stopped, blocks the signal, has no handler for it any more, or cannot be interrupted in the kernel.
  bool wait_for_answer();

 private:
  WorkerRecord& record_;
  std::uint32_t noted_before_;
  bool asked_ = false;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace leat::detail
