#include "loader/workers/nursery.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "loader/base/errors.h"
#include "loader/workers/nursery_process.h"

namespace leat {

namespace {
constexpr std::chrono::milliseconds kNurseryGrace{3000};
}

Nursery::Nursery(const WorkerJob& job, NurseryOptions options) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) throw_errno("socketpair");
  channel_ = UniqueFd(ends[0]);
  UniqueFd nursery_end(ends[1]);
  UniqueFd parent = open_pidfd(::getpid());
  process_ = ChildProcess::run(
      [&] {
        channel_.reset();
        const std::array<int, 3> needed{job.table.completion().fd(), nursery_end.get(), parent.get()};
        close_inherited_fds(needed);
        return NurseryProcess(job, options, std::move(nursery_end), std::move(parent)).run();
      },
      {SIGINT});
}

Nursery::~Nursery() {
  channel_.reset();
  try {
    process_->wait(kNurseryGrace);
  } catch (const SystemError&) {
    process_.reset();  // kills and reaps
  }
}

std::optional<NurseryReport> Nursery::receive() {
  NurseryReport report;
  const ssize_t size = ::recv(channel_.get(), &report, sizeof report, MSG_DONTWAIT);
  if (size == static_cast<ssize_t>(sizeof report)) return report;
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  throw Error("the nursery process, which holds the workers, is gone; make a new loader");
}

}  // namespace leat
