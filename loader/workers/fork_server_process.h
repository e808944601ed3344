// ForkServerProcess, the work of the fork server's own process: fork workers, watch them, take back the chunks that
// dead workers held, and replace these workers.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "leat/datasets/base/unique_fd.h"
#include "leat/loader/os/child_process.h"
#include "leat/loader/os/poll_deadline.h"
#include "leat/loader/workers/crash_loop_breaker.h"
#include "leat/loader/workers/fork_server.h"
#include "leat/loader/workers/observed_time.h"
#include "leat/loader/workers/worker.h"
#include "leat/loader/workers/worker_process.h"

namespace leat::detail {

// The parent's request for stacks. The end of the channel tells the fork server to end.
inline constexpr char kStacksRequest = 's';

// Single-threaded. The fork server and the workers ignore SIGINT, because Ctrl-C reaches the whole process group. The
// parent decides what to do about it, and if the parent ends, they end, too.
//
// The fence: a chunk is taken back only after its worker has been reaped. A worker that is overdue is killed, and
// then waited for like any other worker.
class ForkServerProcess {
 public:
  // `channel` leads to the parent, `parent` is its pidfd.
  ForkServerProcess(const WorkerJob& job, const WorkerProcessSetup& setup, UniqueFd channel, UniqueFd parent);

  int run();  // runs until told to end or until the parent is gone; returns the exit status

 private:
  using Clock = std::chrono::steady_clock;
  struct Worker {
    std::size_t id;
    ChildProcess process;
    std::uint64_t forked_ns;  // time of the fork
    ObservedTime in_sample, in_init;
    std::int64_t overdue_ns = 0;  // the timeout that it exceeded and was killed for; 0 if none
  };
  struct Pending {  // a worker to be forked
    std::size_t id;
    Clock::time_point when;
    std::chrono::milliseconds wait;  // time until the next attempt, if this one fails
  };
  struct FailedStarts {  // a worker's processes in a row that ended before they had initialized
    int ended = 0;       // number that ended by themselves
    int killed = 0;      // number that were killed by SIGKILL from outside
  };
  enum class Wake { work, end };

  WorkerRecord& record(std::size_t id) const { return job_.table.worker_record(id); }

  void start_due();
  bool start(std::size_t id);  // returns false if fork fails
  int run_child(std::size_t id, int fork_server);
  Wake wait();
  Wake hear();
  PollDeadline next_look() const;
  void reap_ended();
  void reap(Worker worker);
  WorkerEnding ending_of(const Worker& worker, int status);
  bool starts_in_vain(std::size_t id, const WorkerEnding& ending);
  std::chrono::milliseconds wait_before_start(std::size_t id) const;
  bool is_idle(std::size_t id) const;
  void watch_deadlines();
  std::int64_t exceeded(Worker& worker, std::uint64_t now);
  void kill_overdue(Worker& worker, std::int64_t timeout_ns);
  void note_stacks();
  std::uint64_t samples_finished() const;
  void report(const ForkServerReport& message) const;
  void end_all();

  // Constant after construction.
  const WorkerJob& job_;
  const WorkerProcessSetup& setup_;
  const WorkerOptions& options_;  // those of job_
  UniqueFd channel_;
  UniqueFd parent_;  // pidfd; shows the parent's end even while another process holds the channel open

  CrashLoopBreaker breaker_;
  std::uint64_t samples_blamed_ = 0;  // samples found to be bad because they ended workers
  std::uint64_t oom_kills_;           // count of the memory control group so far
  bool gave_up_ = false;
  std::vector<Worker> workers_;
  std::vector<Pending> pending_;
  std::vector<FailedStarts> failed_starts_;  // by worker
  std::vector<pollfd> polled_;               // channel, parent, then workers_ in order
};

}  // namespace leat::detail
