// ForkServer, the parent's end of the fork server: the process that forks a loader's workers and their replacements.
// That process is small, single-threaded and forked once, so that no worker is ever forked from a parent that has
// CUDA, thread pools and locks in unknown states. fork_server_process.h describes what it does.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "leat/datasets/base/own_fd.h"
#include "leat/loader/os/child_process.h"
#include "leat/loader/workers/worker.h"
#include "leat/loader/workers/worker_ending.h"
#include "leat/loader/workers/worker_pool.h"

namespace leat::detail {

// A message from the fork server to the parent.
struct ForkServerReport {
  enum class Kind : std::int32_t {
    started,       // the first process of a worker runs
    fork_failed,   // a worker could not be forked yet (see `error`); the others go on, and it is tried again
    died,          // a process ended; a replacement will be forked
    init_failed,   // worker_init_fn threw; the worker's failure record describes it. No replacement
    start_failed,  // a worker's processes end, or are overdue, before they have initialized. No replacement
    gave_up,       // the workers only die. No replacement
    stacks,        // answers ask_for_stacks(): the records of the workers that answered hold their stacks
  };
  Kind kind = Kind::started;
  std::int32_t worker = 0;
  std::int32_t pid = 0;
  std::int32_t error = 0;  // an errno value
  WorkerEnding ending = {};

  bool final() const noexcept {
    return kind == Kind::init_failed || kind == Kind::start_failed || kind == Kind::gave_up;
  }
};

// The fork server ends its workers and itself when this object or the parent process is gone, whatever the reason. A
// worker dies when the fork server dies (PR_SET_PDEATHSIG, which is reliable here because the fork server has only
// one thread).
class ForkServer {
 public:
  // Throws SystemError if the fork server cannot be forked.
  explicit ForkServer(const WorkerJob& job);

  // Tells the fork server to end. The fork server gives its workers a second to end, and then kills them. They end
  // by themselves if SlotTable::stop() was called before. A fork server that has not ended after three seconds is
  // killed, and its workers with it.
  ~ForkServer();

  int pid() const noexcept { return process_->pid(); }
  int fd() const noexcept { return channel_.get(); }  // readable when receive() has a report or would throw
  bool is_ours() const noexcept { return channel_.is_ours(); }

  // Returns the next report, or nullopt if there is none now. Throws Error if the fork server itself is gone.
  std::optional<ForkServerReport> receive();

  // Asks for the stacks of all workers. A report of kind `stacks` says when they are recorded. Returns false if the
  // fork server is gone or cannot take the request now.
  bool ask_for_stacks() const noexcept;

 private:
  OwnFd channel_;
  std::optional<ChildProcess> process_;
};

}  // namespace leat::detail
