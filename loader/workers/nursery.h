// The parent's end of the nursery: the process that forks a loader's workers and their replacements. It is
// small, single-threaded and forked once, so that no worker is ever forked from a parent that has CUDA, thread
// pools and locks in unknown states. What it does is in nursery_process.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "loader/base/child_process.h"
#include "loader/base/unique_fd.h"
#include "loader/workers/worker.h"

namespace leat {

struct NurseryOptions {
  int workers = 1;
  std::chrono::nanoseconds sample_timeout{0};  // 0: none
};

// What the nursery tells the parent, one message each.
struct NurseryReport {
  enum class Kind : std::int32_t {
    started,      // a worker's first process runs
    fork_failed,  // it could not be forked yet; `status` is the errno. The others go on, and it is tried again
    died,         // a process ended, with wait status `status`; a replacement is on its way
    overdue,      // a process was killed since a sample took longer than the timeout; likewise
    init_failed,  // worker_init_fn threw; the worker's failure record has it. No replacement
    gave_up,      // as died, but the workers only die: no replacement
  };
  Kind kind = Kind::started;
  std::int32_t worker = 0;
  std::int32_t pid = 0;
  std::int32_t status = 0;

  bool final() const noexcept { return kind == Kind::init_failed || kind == Kind::gave_up; }
};

// The nursery ends its workers and itself when this object or the parent process is gone, whatever the reason;
// a worker dies with the nursery (PR_SET_PDEATHSIG, reliable there since the nursery has one thread).
class Nursery {
 public:
  // Throws SystemError where the nursery cannot be forked.
  Nursery(const WorkerJob& job, NurseryOptions options);

  // Asks the workers to end (the caller has told them in its own way, too), gives them a second, then kills.
  ~Nursery();

  int fd() const noexcept { return channel_.get(); }  // readable when receive() has something to say

  // The next report if there is one. Throws Error where the nursery itself is gone.
  std::optional<NurseryReport> receive();

 private:
  UniqueFd channel_;
  std::optional<ChildProcess> process_;
};

}  // namespace leat
