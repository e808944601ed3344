#include "tools/run/rank_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/loader/os/blocked_signals.h"
#include "leat/loader/os/child_process.h"
#include "tools/common/command_line.h"

namespace leat::tools {

using namespace detail;

namespace {

struct Pipe {
  UniqueFd read_end, write_end;

  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw_errno("pipe for a rank");
    read_end = UniqueFd(ends[0]);
    write_end = UniqueFd(ends[1]);
  }
};

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// The forked process until it is the program. All signals are blocked. Ignored signals stay ignored, as nohup wants it,
// and there are no handlers to reset: leat-run has none. Tells by `failure` why there is no program.
[[noreturn]] void become_program(char* const* command, char* const* environment, pid_t launcher,
                                 const std::array<int, 3>& streams, int failure) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != launcher) ::_exit(1);  // it died before the kernel knew
  ::setpgid(0, 0);
  bool ready = true;
  for (int fd = 0; fd < 3; ++fd) ready = ready && ::dup2(streams[static_cast<std::size_t>(fd)], fd) == fd;
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (ready) ::execvpe(command[0], command, environment);
  const int error = errno;
  const ssize_t written = ::write(failure, &error, sizeof error);
  ::_exit(written == sizeof error ? 127 : 126);
}

siginfo_t state_of(pid_t pid) {
  siginfo_t state{};
  if (::waitid(P_PID, static_cast<id_t>(pid), &state, WEXITED | WNOHANG | WNOWAIT) != 0)
    throw_errno("waitid");
  return state;
}

}  // namespace

RankProcess::RankProcess(const std::vector<std::string>& command,
                         const std::vector<std::string>& environment) {
  const auto arguments = pointers_to(command), variables = pointers_to(environment);
  Pipe output, errors, failure;
  const UniqueFd input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!input) throw_errno("opening /dev/null");
  const std::array<int, 3> streams{input.get(), output.write_end.get(), errors.write_end.get()};
  const pid_t launcher = ::getpid();
  {
    const BlockedSignals blocked;
    pid_ = ::fork();
    if (pid_ == 0) {
      become_program(arguments.data(), variables.data(), launcher, streams, failure.write_end.get());
    }
  }
  if (pid_ < 0) throw_errno("fork of a rank");
  failure.write_end.reset();
  int error = 0;
  ssize_t got = 0;
  while ((got = ::read(failure.read_end.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (got > 0) {
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
    throw UsageError(
        fmt::format("cannot start '{}': {}", command.front(), std::generic_category().message(error)));
  }
  pidfd_ = open_pidfd(pid_);
  for (Pipe* pipe : {&output, &errors}) ::fcntl(pipe->read_end.get(), F_SETFL, O_NONBLOCK);
  output_ = std::move(output.read_end);
  errors_ = std::move(errors.read_end);
}

RankProcess::~RankProcess() {
  if (pid_ <= 0) return;
  if (state_of(pid_).si_pid == 0) signal_group(SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void RankProcess::signal_group(int signal) const noexcept {
  ::kill(-pid_, signal);
}

std::optional<int> RankProcess::exit_status() const {
  const siginfo_t state = state_of(pid_);
  if (state.si_pid == 0) return std::nullopt;
  return state.si_code == CLD_EXITED ? state.si_status : 128 + state.si_status;
}

bool RankProcess::was_killed() const {
  const siginfo_t state = state_of(pid_);
  return state.si_pid != 0 && state.si_code != CLD_EXITED;
}

}  // namespace leat::tools
