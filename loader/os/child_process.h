// ChildProcess: a forked process that runs one function of ours.
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

// Used only by the process that forked it. Movable, not copyable. Not thread-safe.
class ChildProcess {
 public:
  // Forks. The child runs `body` and ends by _exit() with its result, or with 125 if it throws. In the child, signals
  // have their default effect, except those in `ignored`, which are ignored. Throws SystemError if fork or pidfd_open
  // fails.
  static ChildProcess run(const std::function<int()>& body, std::initializer_list<int> ignored = {});

  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ~ChildProcess();  // kills and reaps the child, unless wait() has reaped it

  pid_t pid() const noexcept { return pid_; }
  int pidfd() const noexcept { return pidfd_.get(); }  // readable when the process has ended
  void kill(int signal) const noexcept;

  // Waits for the process to end, reaps it and returns its wait status. Returns nullopt if `timeout` passes first.
  std::optional<int> wait(std::chrono::milliseconds timeout);
  int wait();

 private:
  ChildProcess(pid_t pid, UniqueFd pidfd) noexcept;

  pid_t pid_ = -1;  // -1 if reaped or moved from
  UniqueFd pidfd_;
  int status_ = 0;
};

// Returns a handle to any process, which poll() reports as readable when the process ends. Throws SystemError.
UniqueFd open_pidfd(pid_t pid);

// Returns the number of threads of the calling process, including the calling thread. Throws SystemError.
std::size_t threads_of_process();

// Describes how a process ended, from its wait status: "was killed by signal 9 (Killed)", "exited with status 3".
std::string describe_wait_status(int status);

// Closes the descriptors that a forked process has inherited, except stdio, those in `keep`, and what a dataset may
// have opened before (regular files and directories). Sockets, pipes, event descriptors and devices (such as a GPU)
// are closed, because a worker must not keep a connection or the memory of a GPU alive.
void close_inherited_fds(std::span<const int> keep);

}  // namespace leat::detail
