// ThreadPool: workers as threads of the calling process.
#include <fmt/format.h>
#include <poll.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>
#include <thread>

#include "leat/datasets/errors.h"
#include "leat/loader/errors.h"
#include "leat/loader/os/blocked_signals.h"
#include "leat/loader/os/library_threads.h"
#include "leat/loader/workers/worker_activity.h"
#include "leat/loader/workers/worker_pool.h"

namespace leat::detail {

namespace {

// Only the table's stop flag ends threads: a thread that loads a chunk finishes it first.
class ThreadPool final : public WorkerPool {
 public:
  explicit ThreadPool(const WorkerJob& job) : job_(job) {
    if (job_.options.worker_threads > 0) libraries_ = LibraryThreads::find();
    try {
      const BlockedSignals blocked;  // the workers inherit it; the application's threads handle signals
      for (int worker = 0; worker < job_.options.num_workers; ++worker) {
        threads_.emplace_back([this, worker] { run(static_cast<std::size_t>(worker)); });
      }
    } catch (const std::system_error& error) {
      go_on_with_fewer(error.code().value());
    } catch (...) {
      job_.table.stop();  // the destructor, which would do this, does not run
      throw;
    }
  }

  ~ThreadPool() override { job_.table.stop(); }

  bool wait(PollDeadline deadline) override {
    throw_if_failed();
    require_ours(job_.table.completion().is_ours());
    pollfd completed{job_.table.completion().fd(), POLLIN, 0};
    const int ready = ::poll(&completed, 1, poll_timeout(deadline));
    if (ready < 0 && errno != EINTR) throw_errno("poll for a batch");
    job_.table.completion().drain();
    throw_if_failed();
    return ready != 0;
  }

  void throw_if_failed() override {
    const int worker = failed_.load();
    if (worker >= 0) throw init_error_of(job_.table, worker);
  }

  std::vector<int> pids() const override { return {}; }

  std::string describe_workers(bool) override {
    std::string text;
    for (std::size_t worker = 0; worker < threads_.size(); ++worker)
      text += "\n  " + describe_worker(job_.table, worker);
    return text;
  }

 private:
  void go_on_with_fewer(int error) const {
    if (threads_.empty()) throw SystemError("starting the worker threads", error);
    warn(job_.options.on_warning,
         fmt::format("only {} of {} worker threads could be started ({})", threads_.size(),
                     job_.options.num_workers, std::generic_category().message(error)));
  }

  void run(std::size_t worker) {
    libraries_.limit_this_thread_to(job_.options.worker_threads);
    if (run_worker(job_, worker) != WorkerEnd::init_failed) return;
    failed_.store(static_cast<int>(worker));
    static_cast<void>(job_.table.completion().notify());
  }

  const WorkerJob job_;
  LibraryThreads libraries_;           // empty if the libraries' threads are left as they are
  std::atomic<int> failed_{-1};        // a worker whose worker_init_fn threw; -1 if none did
  std::vector<std::jthread> threads_;  // the last member, so that the threads are joined first
};

}  // namespace

std::unique_ptr<WorkerPool> start_worker_threads(const WorkerJob& job) {
  return std::make_unique<ThreadPool>(job);
}

}  // namespace leat::detail
