// The process that forks a loader's workers: small, single-threaded, forked once, so that no worker is ever
// forked from a parent that has CUDA, thread pools and locks in unknown states.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "loader/base/child_process.h"
#include "loader/base/unique_fd.h"

namespace leat {

// What the nursery tells the parent, one message each.
struct NurseryReport {
  enum class Kind : std::int32_t { started, fork_failed, ended };
  Kind kind = Kind::started;
  std::int32_t worker = 0;
  std::int32_t pid = 0;
  std::int32_t status = 0;  // errno of a failed fork, wait status of an ended worker
};

// The parent's end. The nursery ends its workers and itself when this object or the parent process is gone,
// whatever the reason; a worker dies with the nursery (PR_SET_PDEATHSIG, reliable there since the nursery has
// one thread).
class Nursery {
 public:
  // Each worker runs body(worker) and leaves by _exit(its result). `keep` are descriptors that workers need.
  // Throws SystemError where the nursery cannot be forked; a worker that cannot be is reported.
  Nursery(int workers, std::function<int(int worker)> body, int keep);

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
