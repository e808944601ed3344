// Workers as threads of the calling process.
#include <poll.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>

#include "loader/base/errors.h"
#include "loader/errors.h"
#include "loader/workers/worker_pool.h"

namespace leat {

int poll_timeout(Deadline deadline) {
  if (!deadline) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30));
}

namespace {

// Threads are ended by the table's stop flag alone: a thread in the middle of a sample finishes it first.
class ThreadPool final : public WorkerPool {
 public:
  ThreadPool(const WorkerJob& job, const WorkerPoolOptions& options) : job_(job) {
    for (int worker = 0; worker < options.workers; ++worker) {
      threads_.emplace_back([this, worker] { run(static_cast<std::size_t>(worker)); });
    }
  }

  ~ThreadPool() override { job_.table.stop(); }

  bool wait(Deadline deadline) override {
    throw_if_failed();
    pollfd completed{job_.table.completion().fd(), POLLIN, 0};
    const int ready = ::poll(&completed, 1, poll_timeout(deadline));
    if (ready < 0 && errno != EINTR) throw_errno("poll for a batch");
    job_.table.completion().drain();
    throw_if_failed();
    return ready != 0;
  }

  std::vector<int> pids() const override { return {}; }

 private:
  void run(std::size_t worker) {
    sigset_t all;  // signals are the application's threads' business
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
    if (run_worker(job_, worker)) return;
    failed_.store(static_cast<int>(worker));
    job_.table.completion().notify();
  }

  void throw_if_failed() const {
    const int worker = failed_.load();
    if (worker < 0) return;
    const FailureRecord& failure = job_.table.worker_failure(static_cast<std::size_t>(worker));
    throw WorkerInitError(worker, failure.type, failure.text);
  }

  WorkerJob job_;
  std::atomic<int> failed_{-1};        // a worker whose init threw
  std::vector<std::jthread> threads_;  // last: joined first
};

}  // namespace

std::unique_ptr<WorkerPool> start_worker_threads(const WorkerJob& job, const WorkerPoolOptions& options) {
  return std::make_unique<ThreadPool>(job, options);
}

}  // namespace leat
