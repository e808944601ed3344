#include "leat/loader/os/child_process.h"

#include <dirent.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/loader/os/blocked_signals.h"
#include "leat/loader/os/poll_deadline.h"

namespace leat::detail {

namespace {

constexpr int kUncaughtException = 125;

void reset_signals(std::initializer_list<int> ignored) {
  for (int signal = 1; signal < NSIG; ++signal)
    ::signal(signal, SIG_DFL);  // fails for signals that cannot be caught, as it should
  for (const int signal : ignored) ::signal(signal, SIG_IGN);
  sigset_t none;
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void run_child(const std::function<int()>& body, std::initializer_list<int> ignored) {
  reset_signals(ignored);
  int result = kUncaughtException;
  try {
    result = body();
  } catch (...) {  // the exit status is all a forked child can say here
    result = kUncaughtException;
  }
  ::_exit(result);
}

bool worth_keeping(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return true;  // not open, or of an unknown type
  return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
}

// Returns the numbers that are the names of the entries of a folder of /proc.
std::vector<int> numbered_entries(const char* path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path), &::closedir);
  if (!folder) throw_errno(fmt::format("opening {}, which worker processes need", path));
  std::vector<int> numbers;
  while (const dirent* entry = ::readdir(folder.get())) {  // NOLINT(concurrency-mt-unsafe): our own stream
    const int number = std::atoi(entry->d_name);
    if (entry->d_name[0] != '.') numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

UniqueFd open_pidfd(pid_t pid) {
  UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!fd) throw_errno("pidfd_open");
  return fd;
}

std::size_t threads_of_process() {
  return numbered_entries("/proc/self/task").size();
}

std::string describe_wait_status(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("exited with status {}", WEXITSTATUS(status));
  return fmt::format("was killed by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
}

void close_inherited_fds(std::span<const int> keep) {
  for (const int fd : numbered_entries("/proc/self/fd")) {
    const bool kept = std::find(keep.begin(), keep.end(), fd) != keep.end();
    if (fd > STDERR_FILENO && !kept && !worth_keeping(fd)) ::close(fd);
  }
}

ChildProcess ChildProcess::run(const std::function<int()>& body, std::initializer_list<int> ignored) {
  const BlockedSignals blocked;
  const pid_t pid = ::fork();
  if (pid < 0) throw_errno("fork");
  if (pid == 0) run_child(body, ignored);
  ChildProcess child(pid, UniqueFd());  // from here on, an exception kills and reaps the child
  child.pidfd_ = open_pidfd(pid);
  return child;
}

ChildProcess::ChildProcess(pid_t pid, UniqueFd pidfd) noexcept : pid_(pid), pidfd_(std::move(pidfd)) {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pidfd_(std::move(other.pidfd_)), status_(other.status_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(pidfd_, other.pidfd_);
  std::swap(status_, other.status_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pid_ <= 0) return;
  kill(SIGKILL);
  while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
}

void ChildProcess::kill(int signal) const noexcept {
  if (pid_ <= 0) return;
  // Use the pidfd: if other code has reaped the child, its process id may belong to another process by now.
  if (pidfd_) {
    ::syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, nullptr, 0);
  } else {
    ::kill(pid_, signal);  // run() could not open the pidfd
  }
}

std::optional<int> ChildProcess::wait(std::chrono::milliseconds timeout) {
  const PollDeadline deadline = deadline_after(std::chrono::steady_clock::now(), timeout);
  for (;;) {
    pollfd gone{pidfd_.get(), POLLIN, 0};
    const int ready = ::poll(&gone, 1, poll_timeout(deadline));
    if (ready > 0) return wait();
    if (ready == 0) return std::nullopt;
    if (errno != EINTR) throw_errno("poll for a child's end");
  }
}

int ChildProcess::wait() {
  if (pid_ <= 0) return status_;
  while (::waitpid(pid_, &status_, 0) < 0) {
    if (errno != EINTR) throw_errno("waitpid");
  }
  pid_ = -1;
  return status_;
}

}  // namespace leat::detail
