#include "tests/interleaving/fiber_pool.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace leat {

namespace interleaving {

namespace {

const WorkerJob* open_job = nullptr;

Simulation& simulation() {
  return Simulation::current();
}

void start_worker(const WorkerJob& job, std::size_t worker) {
  simulation().start(Simulation::kFirstWorker + worker, [&job, worker] { run_worker(job, worker); });
}

// Waits like ProcessPool, for the wake-up pipe and the fork server's channel.
class FiberPool final : public WorkerPool {
 public:
  explicit FiberPool(const WorkerJob& job) : job_(job), fork_server_(job_) {
    open_job = &job_;
    for (int worker = 0; worker < job_.options.num_workers; ++worker)
      start_worker(job_, static_cast<std::size_t>(worker));
    simulation().start(Simulation::kForkServer, [this] { fork_server_.run(); });
  }

  ~FiberPool() override {
    job_.table.stop();
    simulation().workers_are_safe();
    fork_server_.close();
    simulation().block([] { return !any_runs(); });
    open_job = nullptr;
  }

  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;

  bool wait(PollDeadline) override {
    simulation().block([] { return simulation().signaled || simulation().told; });
    job_.table.completion().drain();
    simulation().step();
    simulation().told = false;
    return true;
  }

  void throw_if_failed() override {}
  std::vector<int> pids() const override { return {}; }
  std::string describe_workers(bool) override { return {}; }

 private:
  static bool any_runs() {
    for (std::size_t process = Simulation::kForkServer; process < simulation().processes(); ++process) {
      if (simulation().runs(process)) return true;
    }
    return false;
  }

  const WorkerJob job_;
  FiberForkServer fork_server_;
};

}  // namespace

SlotTable& table_of_the_loader() {
  return open_job->table;
}

FiberForkServer::FiberForkServer(const WorkerJob& job)
    : job_(job), pending_(static_cast<std::size_t>(job.options.num_workers)) {}

void FiberForkServer::run() {
  for (;;) {
    simulation().block([this] { return closing_ || anything_to_do(); });
    if (closing_) return;
    if (may_be_too_early()) take_back_too_early();
    for (std::size_t worker = 0; worker < pending_.size(); ++worker) {
      if (pending_[worker]) start(worker);
      if (simulation().take_ended(Simulation::kFirstWorker + worker)) reap(worker);
    }
  }
}

bool FiberForkServer::anything_to_do() const {
  if (may_be_too_early()) return true;
  for (std::size_t worker = 0; worker < pending_.size(); ++worker) {
    if (pending_[worker] || simulation().has_ended(Simulation::kFirstWorker + worker)) return true;
  }
  return false;
}

void FiberForkServer::reap(std::size_t worker) {
  simulation().begin_taking_back();
  job_.table.reclaim(worker, {"ended", 2});
  simulation().end_taking_back();
  pending_[worker] = true;
  if (simulation().fault() != Fault::unreported_deaths) report();
}

void FiberForkServer::start(std::size_t worker) {
  simulation().step();
  if (simulation().decide(Cost::failed_fork)) {
    job_.table.release_reopened(worker);
    return report();
  }
  pending_[worker] = false;
  start_worker(job_, worker);
}

// Once: its first worker is as good as dead, it thinks, since it has been told to die.
bool FiberForkServer::may_be_too_early() const {
  return simulation().fault() == Fault::no_fence && !was_too_early_ &&
         simulation().is_inside_row(Simulation::kFirstWorker);
}

void FiberForkServer::take_back_too_early() {
  was_too_early_ = true;
  simulation().step();
  job_.table.reclaim(0, {"was told to end", 2});
  job_.table.release_reopened(0);
}

void FiberForkServer::report() {
  simulation().step();
  simulation().told = true;
}

}  // namespace interleaving

namespace detail {

std::unique_ptr<WorkerPool> start_worker_processes(const WorkerJob& job) {
  return std::make_unique<interleaving::FiberPool>(job);
}

std::unique_ptr<WorkerPool> start_worker_threads(const WorkerJob&) {
  throw std::logic_error("a simulation has worker processes");
}

}  // namespace detail
}  // namespace leat
