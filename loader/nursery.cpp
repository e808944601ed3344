#include "loader/nursery.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "loader/base/errors.h"

namespace leat {

namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kGrace{1000};  // for the sample in progress, before SIGKILL
constexpr std::chrono::milliseconds kNurseryGrace{3000};

// The nursery's own process: forks, waits for ends, reports them. It and the workers ignore SIGINT: Ctrl-C reaches
// the whole group; the parent decides, and its end is theirs.
class NurseryProcess {
 public:
  NurseryProcess(UniqueFd channel, UniqueFd parent)
      : channel_(std::move(channel)), parent_(std::move(parent)) {}

  int run(int workers, const std::function<int(int)>& body) {
    ::prctl(PR_SET_NAME, "leat-nursery");
    for (int worker = 0; worker < workers; ++worker) start(worker, body);
    while (!told_to_end()) reap_ended();
    end_all();
    return 0;
  }

 private:
  struct Worker {
    int id;
    ChildProcess process;
  };

  void start(int worker, const std::function<int(int)>& body) {
    const pid_t nursery = ::getpid();
    try {
      ChildProcess process = ChildProcess::run(
          [&] {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (::getppid() != nursery) return 1;  // it died before the line above
            ::prctl(PR_SET_NAME, ("leat-worker-" + std::to_string(worker)).c_str());
            channel_.reset();
            return body(worker);
          },
          {SIGINT});
      report({NurseryReport::Kind::started, worker, process.pid(), 0});
      workers_.push_back({worker, std::move(process)});
    } catch (const SystemError& error) {
      report({NurseryReport::Kind::fork_failed, worker, 0, error.code()});
    }
  }

  void report(const NurseryReport& message) const {
    ::send(channel_.get(), &message, sizeof message, MSG_NOSIGNAL);  // a parent that is gone is seen by poll
  }

  // Blocks until a worker ended (false) or the parent has closed its end or died (true).
  bool told_to_end() {
    polled_.assign({{channel_.get(), POLLIN, 0}, {parent_.get(), POLLIN, 0}});
    for (const Worker& worker : workers_) polled_.push_back({worker.process.pidfd(), POLLIN, 0});
    while (::poll(polled_.data(), polled_.size(), -1) < 0) {
      if (errno != EINTR) return true;
    }
    return polled_[0].revents != 0 || polled_[1].revents != 0;
  }

  void reap_ended() {
    for (std::size_t i = workers_.size(); i-- > 0;) {
      if (polled_[i + 2].revents == 0) continue;
      const pid_t pid = workers_[i].process.pid();
      report({NurseryReport::Kind::ended, workers_[i].id, pid, workers_[i].process.wait()});
      workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  void end_all() {
    pollfd parent{parent_.get(), POLLIN, 0};
    const bool orphaned = ::poll(&parent, 1, 0) > 0;
    const auto deadline = steady_clock::now() + (orphaned ? std::chrono::milliseconds(0) : kGrace);
    for (Worker& worker : workers_) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
      worker.process.wait(std::max(left, std::chrono::milliseconds(0)));
    }
    workers_.clear();  // kills and reaps the rest
  }

  UniqueFd channel_;
  UniqueFd parent_;  // pidfd: sees the parent's end even while another process holds the channel open
  std::vector<Worker> workers_;
  std::vector<pollfd> polled_;  // channel, parent, then the workers in order
};

}  // namespace

Nursery::Nursery(int workers, std::function<int(int worker)> body, int keep) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) throw_errno("socketpair");
  channel_ = UniqueFd(ends[0]);
  UniqueFd nursery_end(ends[1]);
  UniqueFd parent = open_pidfd(::getpid());
  process_ = ChildProcess::run(
      [&] {
        channel_.reset();
        const std::array<int, 3> needed{keep, nursery_end.get(), parent.get()};
        close_inherited_fds(needed);
        return NurseryProcess(std::move(nursery_end), std::move(parent)).run(workers, body);
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
