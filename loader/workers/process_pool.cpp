// ProcessPool: workers as forked processes.
#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <exception>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/loader/errors.h"
#include "leat/loader/workers/fork_server.h"
#include "leat/loader/workers/worker_activity.h"
#include "leat/loader/workers/worker_pool.h"

namespace leat::detail {

namespace {

using std::chrono::steady_clock;
using Kind = ForkServerReport::Kind;

constexpr std::chrono::milliseconds kStartPatience{1000};   // while forks fail; then go on with fewer workers
constexpr std::chrono::seconds kSilencePatience{30};        // while the fork server reports nothing
constexpr std::chrono::milliseconds kStacksPatience{1000};  // for the answers of all workers

// The fork server handles the deaths of workers. This class receives reports of them, and of failures that end the
// pool.
class ProcessPool final : public WorkerPool {
 public:
  // Returns when all workers run, when only some can be forked for now, or when a final report has come, which wait()
  // throws.
  explicit ProcessPool(const WorkerJob& job) : job_(job), fork_server_(job_) {
    const auto patience = steady_clock::now() + kStartPatience;
    auto silence = steady_clock::now() + kSilencePatience;
    while (started_ < job_.options.num_workers && !final_) {
      if (fork_errno_ != 0 && steady_clock::now() >= patience) break;
      if (fork_errno_ == 0 && steady_clock::now() >= silence) throw_silent_fork_server();
      const int heard = reports_;
      poll(nullptr, fork_errno_ != 0 ? patience : silence);  // a signal may end it early
      if (reports_ != heard) silence = steady_clock::now() + kSilencePatience;
    }
    if (started_ < job_.options.num_workers && !final_) go_on_with_fewer();
  }

  ~ProcessPool() override { job_.table.stop(); }

  bool wait(PollDeadline deadline) override {
    if (final_) std::rethrow_exception(final_);
    const bool signaled = poll(&job_.table.completion(), deadline);
    if (final_) std::rethrow_exception(final_);
    return signaled;
  }

  void throw_if_failed() override {
    while (const auto report = fork_server_.receive()) read(*report);
    if (final_) std::rethrow_exception(final_);
  }

  std::vector<int> pids() const override {
    std::vector<int> pids;
    for (int worker = 0; worker < job_.options.num_workers; ++worker) {
      const int pid = job_.table.worker_record(static_cast<std::size_t>(worker)).pid.load();
      if (pid != 0) pids.push_back(pid);
    }
    return pids;
  }

  std::string describe_workers(bool stacks) override {
    std::vector<std::string> workers;  // made before the workers are asked, which wakes them
    for (int worker = 0; worker < job_.options.num_workers; ++worker)
      workers.push_back("\n  " + describe_worker(job_.table, static_cast<std::size_t>(worker)));
    const bool answered = stacks && fork_server_.ask_for_stacks() && wait_for_stacks();
    std::string text;
    for (std::size_t id = 0; id < workers.size(); ++id) {
      text += workers[id];
      const std::span frames = job_.table.worker_record(id).stack.frames();
      if (answered && !frames.empty()) text += ", in" + describe_frames(frames);
    }
    if (stacks && !answered)
      text += "\n  the fork server process does not answer: it " + describe_process(fork_server_.pid());
    return text;
  }

 private:
  bool poll(const WakePipe* completion, PollDeadline deadline) {
    require_ours(fork_server_.is_ours() && (completion == nullptr || completion->is_ours()));
    std::array<pollfd, 2> polled{{{fork_server_.fd(), POLLIN, 0}, {-1, POLLIN, 0}}};
    if (completion != nullptr) polled[1].fd = completion->fd();
    const int ready = ::poll(polled.data(), polled.size(), poll_timeout(deadline));
    if (ready < 0 && errno != EINTR) throw_errno("poll for the workers");
    if (completion != nullptr) completion->drain();
    while (const auto report = fork_server_.receive()) read(*report);
    return ready != 0;
  }

  bool wait_for_stacks() {
    const int before = stacks_;
    const auto deadline = steady_clock::now() + kStacksPatience;
    while (stacks_ == before && steady_clock::now() < deadline) poll(nullptr, deadline);
    return stacks_ != before;
  }

  void read(const ForkServerReport& report) {
    ++reports_;
    switch (report.kind) {
      case Kind::started:
        ++started_;
        break;
      case Kind::fork_failed:
        fork_errno_ = report.error;
        break;
      case Kind::died:
        warn(job_.options.on_warning,
             fmt::format(
                 "worker {} (process {}) {}; another takes its place and loads what it had not finished",
                 report.worker, report.pid, report.ending.describe()));
        break;
      case Kind::init_failed:
      case Kind::start_failed:
      case Kind::gave_up:
        if (!final_) final_ = error_of(report);
        break;
      case Kind::stacks:
        ++stacks_;
        break;
    }
  }

  std::exception_ptr error_of(const ForkServerReport& report) const {
    const auto id = static_cast<std::size_t>(report.worker);
    if (report.kind == Kind::init_failed) {
      return std::make_exception_ptr(init_error_of(job_.table, report.worker));
    }
    if (report.kind == Kind::start_failed) {
      const std::span frames = job_.table.worker_record(id).stack.frames();
      return std::make_exception_ptr(WorkerInitError(
          report.worker,
          fmt::format("worker {} never comes to load anything: its process {} {} before worker_init_fn had "
                      "returned{}{}",
                      report.worker, report.pid, report.ending.describe(),
                      report.ending.cause == WorkerEnding::Cause::overdue ? "" : ", as those before it did",
                      frames.empty() ? "" : ", in" + describe_frames(frames))));
    }
    return std::make_exception_ptr(WorkerError(
        report.worker, report.pid, report.ending.wait_status,
        "the workers only die, and nothing is loaded between their deaths, so they are not replaced"));
  }

  [[noreturn]] void throw_silent_fork_server() const {
    throw Error(fmt::format(
        "the fork server process, which forks the workers, has said nothing for {} s: it {}. It may wait for "
        "a lock that another thread of this program held when the loader was made; make loaders before "
        "threads",
        kSilencePatience.count(), describe_process(fork_server_.pid())));
  }

  void go_on_with_fewer() const {
    if (started_ == 0) throw SystemError("starting the worker processes", fork_errno_);
    warn(job_.options.on_warning,
         fmt::format("only {} of {} worker processes could be started ({}); the others are "
                     "tried again while loading goes on",
                     started_, job_.options.num_workers, std::generic_category().message(fork_errno_)));
  }

  const WorkerJob job_;
  ForkServer fork_server_;
  int reports_ = 0;  // number of reports received
  int started_ = 0;
  int stacks_ = 0;            // number of reports that answered ask_for_stacks()
  int fork_errno_ = 0;        // errno of the last fork that failed
  std::exception_ptr final_;  // the error that ended the pool
};

}  // namespace

std::unique_ptr<WorkerPool> start_worker_processes(const WorkerJob& job) {
  return std::make_unique<ProcessPool>(job);
}

}  // namespace leat::detail
