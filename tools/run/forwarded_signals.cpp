#include "tools/run/forwarded_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include "leat/datasets/errors.h"

namespace leat::tools {
namespace {

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

ForwardedSignals::ForwardedSignals() {
  // If the parent ignored it, the kernel would forget the ranks' exit statuses.
  if (::signal(SIGCHLD, SIG_DFL) == SIG_ERR) throw_errno("signal(SIGCHLD)");
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP}) {
    if (!is_ignored(signal)) ::sigaddset(&signals, signal);
  }
  fd_ = detail::UniqueFd(::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd_) throw_errno("signalfd");
  ::sigaddset(&signals, SIGPIPE);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
}

std::optional<int> ForwardedSignals::next() {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

bool asks_to_end(int signal) noexcept {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

}  // namespace leat::tools
