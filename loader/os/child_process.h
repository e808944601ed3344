// A forked process that runs one function of ours.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "leat/datasets/base/unique_fd.h"

namespace leat::detail {

// Owned by the process that forked it; move-only, not thread-safe.
class ChildProcess {
 public:
  // Forks; the child runs `body` and leaves by _exit(its result), or 125 if it throws. Signals have their
  // default effect there, but for those in `ignored`, which never take effect. Throws SystemError where fork
  // fails.
  static ChildProcess run(const std::function<int()>& body, std::initializer_list<int> ignored = {});

  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ~ChildProcess();  // kills and reaps what has not been waited for

  pid_t pid() const noexcept { return pid_; }
  int pidfd() const noexcept { return pidfd_.get(); }  // readable when the process is gone
  void kill(int signal) const noexcept;

  // The wait status when the process is gone; nullopt where `timeout` passes before. Reaps it.
  std::optional<int> wait(std::chrono::milliseconds timeout);
  int wait();

 private:
  ChildProcess(pid_t pid, UniqueFd pidfd) noexcept;

  pid_t pid_ = -1;  // -1: reaped or moved from
  UniqueFd pidfd_;
  int status_ = 0;
};

// An owned handle on any process, to be polled for its end. Throws SystemError.
UniqueFd open_pidfd(pid_t pid);

// Threads of the calling process, the calling one included. Throws SystemError.
std::size_t threads_of_process();

// How a process ended, from its wait status: "was killed by signal 9 (Killed)", "exited with status 3".
std::string describe_wait_status(int status);

// For children that outlast or outnumber their maker's files: closes every descriptor but stdio, those in
// `keep`, and what a dataset may legitimately have opened before (regular files and directories). Sockets,
// pipes, event descriptors and devices (a GPU's, say) go: a worker must not hold a connection or a GPU's
// memory alive.
void close_inherited_fds(std::span<const int> keep);

}  // namespace leat::detail
