#include "leat/loader/workers/fork_server.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/loader/os/standard_output.h"
#include "leat/loader/workers/fork_server_process.h"

namespace leat::detail {

namespace {
constexpr std::chrono::milliseconds kForkServerGrace{3000};
}

ForkServer::ForkServer(const WorkerJob& job) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) throw_errno("socketpair");
  UniqueFd fork_server_end(ends[1]);
  channel_ = OwnFd(UniqueFd(ends[0]));
  UniqueFd parent = open_pidfd(::getpid());
  const WorkerProcessSetup setup = WorkerProcessSetup::prepare(job.options);
  process_ = ChildProcess::run(
      [&] {
        channel_ = {};
        own_standard_output();
        const WakePipe& completion = job.table.completion();
        const std::array<int, 4> needed{completion.fd(), completion.write_fd(), fork_server_end.get(),
                                        parent.get()};
        close_inherited_fds(needed);
        return ForkServerProcess(job, setup, std::move(fork_server_end), std::move(parent)).run();
      },
      {SIGINT});
}

ForkServer::~ForkServer() {
  channel_ = {};
  try {
    process_->wait(kForkServerGrace);
  } catch (const SystemError&) {
    process_.reset();  // kills and reaps the fork server
  }
}

std::optional<ForkServerReport> ForkServer::receive() {
  ForkServerReport report;
  const ssize_t size = ::recv(channel_.get(), &report, sizeof report, MSG_DONTWAIT);
  if (size == static_cast<ssize_t>(sizeof report)) return report;
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  throw Error("the fork server process, which holds the workers, is gone; make a new loader");
}

bool ForkServer::ask_for_stacks() const noexcept {
  const char request = kStacksRequest;
  return ::send(channel_.get(), &request, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

}  // namespace leat::detail
