// What the fork server's own process does: fork workers, watch them, take back what the dead ones held, replace them.
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

// A message of the parent's; the end of the channel means that the fork server is to end.
inline constexpr char kStacksRequest = 's';

// Single-threaded. It and the workers ignore SIGINT: Ctrl-C reaches the whole group; the parent decides, and its
// end is theirs.
//
// The fence: a chunk is taken back only when its worker has been reaped. A worker that is overdue is killed, and
// then waited for like any other.
class ForkServerProcess {
 public:
  // `channel` leads to the parent, `parent` is its pidfd.
  ForkServerProcess(const WorkerJob& job, const WorkerProcessSetup& setup, UniqueFd channel, UniqueFd parent);

  int run();  // until told to end, or until the parent is gone; the exit status

 private:
  using Clock = std::chrono::steady_clock;
  struct Worker {
    std::size_t id;
    ChildProcess process;
    std::uint64_t forked_ns;  // when
    ObservedTime in_sample, in_init;
    std::int64_t overdue_ns = 0;  // the timeout that it exceeded, and was killed for
  };
  struct Pending {  // a worker to be forked
    std::size_t id;
    Clock::time_point when;
    std::chrono::milliseconds wait;  // before the next attempt, should this one fail
  };
  struct FailedStarts {  // of a worker: processes in a row that ended before they had initialized
    int ended = 0;       // by themselves
    int killed = 0;      // by somebody else's SIGKILL
  };
  enum class Wake { work, end };

  WorkerRecord& record(std::size_t id) const { return job_.table.worker_record(id); }

  void start_due();
  bool start(std::size_t id);  // false where fork fails
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
  const WorkerOptions& options_;  // of job_
  UniqueFd channel_;
  UniqueFd parent_;  // sees the parent's end even while another process holds the channel open

  CrashLoopBreaker breaker_;
  std::uint64_t samples_blamed_ = 0;  // for deaths
  std::uint64_t oom_kills_;           // of the memory cgroup so far
  bool gave_up_ = false;
  std::vector<Worker> workers_;
  std::vector<Pending> pending_;
  std::vector<FailedStarts> failed_starts_;  // by worker
  std::vector<pollfd> polled_;               // channel, parent, then the workers in order
};

}  // namespace leat::detail
