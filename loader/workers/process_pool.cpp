// Workers as forked processes.
#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>

#include "loader/base/errors.h"
#include "loader/errors.h"
#include "loader/workers/nursery.h"
#include "loader/workers/worker_pool.h"

namespace leat {

namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kStartPatience{1000};  // with forks that fail, before going on with fewer

// Deaths are the nursery's business; this end hears of them, and of what cannot be repaired.
class ProcessPool final : public WorkerPool {
 public:
  // Returns when all workers run, or when some do and the rest cannot be forked for now.
  ProcessPool(const WorkerJob& job, const WorkerPoolOptions& options)
      : job_(job), options_(options), nursery_(job, {options_.workers, options_.sample_timeout}) {
    const auto patience = steady_clock::now() + kStartPatience;
    while (started_ < options_.workers && !final_) {
      if (fork_errno_ != 0 && steady_clock::now() >= patience) break;
      poll(nullptr, fork_errno_ != 0 ? Deadline(patience) : std::nullopt);
    }
    if (started_ < options_.workers && !final_) go_on_with_fewer();
  }

  ~ProcessPool() override { job_.table.stop(); }

  bool wait(Deadline deadline) override {
    if (final_) std::rethrow_exception(final_);
    const bool signalled = poll(&job_.table.completion(), deadline);
    if (final_) std::rethrow_exception(final_);
    return signalled;
  }

  std::vector<int> pids() const override {
    std::vector<int> pids;
    for (int worker = 0; worker < options_.workers; ++worker) {
      const int pid = job_.table.worker_record(static_cast<std::size_t>(worker)).pid.load();
      if (pid != 0) pids.push_back(pid);
    }
    return pids;
  }

 private:
  bool poll(const EventFd* completion, Deadline deadline) {
    std::array<pollfd, 2> polled{{{nursery_.fd(), POLLIN, 0}, {-1, POLLIN, 0}}};
    if (completion != nullptr) polled[1].fd = completion->fd();
    const int ready = ::poll(polled.data(), polled.size(), poll_timeout(deadline));
    if (ready < 0 && errno != EINTR) throw_errno("poll for the workers");
    if (completion != nullptr) completion->drain();
    while (const auto report = nursery_.receive()) read(*report);
    return ready != 0;
  }

  void read(const NurseryReport& report) {
    switch (report.kind) {
      case NurseryReport::Kind::started:
        ++started_;
        break;
      case NurseryReport::Kind::fork_failed:
        fork_errno_ = report.status;
        break;
      case NurseryReport::Kind::died:
        tell(report, describe_wait_status(report.status));
        break;
      case NurseryReport::Kind::overdue:
        tell(report, "was killed since a sample took longer than the sample timeout");
        break;
      case NurseryReport::Kind::init_failed:
      case NurseryReport::Kind::gave_up:
        if (!final_) final_ = error_of(report);
        break;
    }
  }

  void tell(const NurseryReport& death, const std::string& how) const {
    warn(options_.on_warning,
         fmt::format("worker {} (process {}) {}; another takes its place and loads what it "
                     "had not finished",
                     death.worker, death.pid, how));
  }

  std::exception_ptr error_of(const NurseryReport& report) const {
    if (report.kind == NurseryReport::Kind::init_failed) {
      const FailureRecord& failure = job_.table.worker_failure(static_cast<std::size_t>(report.worker));
      return std::make_exception_ptr(WorkerInitError(report.worker, failure.type, failure.text));
    }
    return std::make_exception_ptr(WorkerError(
        report.worker, report.pid, report.status,
        "the workers only die, and nothing is loaded between their deaths, so they are not replaced"));
  }

  void go_on_with_fewer() const {
    if (started_ == 0) throw SystemError("forking the worker processes", fork_errno_);
    warn(options_.on_warning,
         fmt::format("only {} of {} worker processes could be forked ({}); the others are "
                     "tried again while loading goes on",
                     started_, options_.workers, std::generic_category().message(fork_errno_)));
  }

  const WorkerJob job_;
  const WorkerPoolOptions options_;
  Nursery nursery_;
  int started_ = 0;
  int fork_errno_ = 0;        // of the last fork that failed
  std::exception_ptr final_;  // what ended the pool
};

}  // namespace

std::unique_ptr<WorkerPool> start_worker_processes(const WorkerJob& job, const WorkerPoolOptions& options) {
  return std::make_unique<ProcessPool>(job, options);
}

}  // namespace leat
