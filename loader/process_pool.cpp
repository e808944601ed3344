// Workers as forked processes.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "loader/nursery.h"
#include "loader/worker_pool.h"

namespace leat {

namespace {

constexpr int kInitFailed = 1;  // exit status of a worker whose init threw

class ProcessPool final : public WorkerPool {
 public:
  // Returns when every worker has been forked, so that a fork that fails is this constructor's error.
  ProcessPool(const WorkerJob& job, int workers)
      : job_(job),
        nursery_(
            workers,
            [job](int worker) { return run_worker(job, static_cast<std::size_t>(worker)) ? 0 : kInitFailed; },
            job.table.completion().fd()) {
    while (pids_.size() < static_cast<std::size_t>(workers)) {
      pollfd reported{nursery_.fd(), POLLIN, 0};
      if (::poll(&reported, 1, -1) < 0 && errno != EINTR) throw_errno("poll for the workers' start");
      read_reports();
    }
  }

  ~ProcessPool() override { job_.table.stop(); }

  bool wait(Deadline deadline) override {
    throw_if_ended();
    std::array<pollfd, 2> polled{{{job_.table.completion().fd(), POLLIN, 0}, {nursery_.fd(), POLLIN, 0}}};
    const int ready = ::poll(polled.data(), polled.size(), poll_timeout(deadline));
    if (ready < 0 && errno != EINTR) throw_errno("poll for a batch");
    job_.table.completion().drain();
    read_reports();
    throw_if_ended();
    return ready != 0;
  }

  std::vector<int> pids() const override { return pids_; }

 private:
  void read_reports() {
    while (const auto report = nursery_.receive()) {
      switch (report->kind) {
        case NurseryReport::Kind::started:
          pids_.push_back(report->pid);
          break;
        case NurseryReport::Kind::fork_failed:
          throw SystemError(fmt::format("forking worker {}", report->worker), report->status);
        case NurseryReport::Kind::ended:
          if (!ended_) ended_ = *report;
          break;
      }
    }
  }

  void throw_if_ended() const {
    if (!ended_) return;
    const auto worker = static_cast<std::size_t>(ended_->worker);
    const FailureRecord& failure = job_.table.worker_failure(worker);
    if (failure.type[0] != '\0') throw WorkerInitError(ended_->worker, failure.type, failure.text);
    throw WorkerError(ended_->worker, ended_->pid, ended_->status, held_samples(worker));
  }

  std::string held_samples(std::size_t worker) const {
    std::string text;
    for (const Claim& claim : job_.table.held_by(worker)) {
      const BatchTicket ticket = job_.table.ticket(claim);
      const std::size_t first = claim.run * ticket.rows_per_run;
      const std::size_t last = std::min(first + ticket.rows_per_run, ticket.rows);
      const auto indices = job_.table.indices(claim.slot).subspan(first, last - first);
      text += fmt::format("{}rows {} to {} of batch {}, samples {}", text.empty() ? "" : "; ", first,
                          last - 1, ticket.number, fmt::join(indices, ", "));
    }
    return text.empty() ? "it held no samples" : "it held " + text;
  }

  WorkerJob job_;
  Nursery nursery_;
  std::vector<int> pids_;
  std::optional<NurseryReport> ended_;  // the first worker that ended
};

}  // namespace

std::unique_ptr<WorkerPool> start_worker_processes(const WorkerJob& job, int workers) {
  return std::make_unique<ProcessPool>(job, workers);
}

}  // namespace leat
