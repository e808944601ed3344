// The parent's end of the fork server: the process that forks a loader's workers and their replacements. It is
// small, single-threaded and forked once, so that no worker is ever forked from a parent that has CUDA, thread
// pools and locks in unknown states. What it does is in fork_server_process.h.
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

// What the fork server tells the parent, one message each.
struct ForkServerReport {
  enum class Kind : std::int32_t {
    started,       // a worker's first process runs
    fork_failed,   // it could not be forked yet, for `error`. The others go on, and it is tried again
    died,          // a process ended; a replacement is on its way
    init_failed,   // worker_init_fn threw; the worker's failure record has it. No replacement
    start_failed,  // its processes end, or are overdue, before they have initialized. No replacement
    gave_up,       // the workers only die: no replacement
    stacks,        // ask_for_stacks() was carried out: the records of the workers that answered have them
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

// The fork server ends its workers and itself when this object or the parent process is gone, whatever the reason;
// a worker dies with the fork server (PR_SET_PDEATHSIG, reliable there since the fork server has one thread).
class ForkServer {
 public:
  // Throws SystemError where the fork server cannot be forked.
  explicit ForkServer(const WorkerJob& job);

  // Asks the workers to end (the caller has told them in its own way, too), gives them a second, then kills.
  ~ForkServer();

  int pid() const noexcept { return process_->pid(); }
  int fd() const noexcept { return channel_.get(); }  // readable when receive() has something to say
  bool is_ours() const noexcept { return channel_.is_ours(); }

  // The next report if there is one. Throws Error where the fork server itself is gone.
  std::optional<ForkServerReport> receive();

  // Has all workers note their stacks; a report says when that was done. False where the fork server is gone, or does
  // not listen.
  bool ask_for_stacks() const noexcept;

 private:
  OwnFd channel_;
  std::optional<ChildProcess> process_;
};

}  // namespace leat::detail
