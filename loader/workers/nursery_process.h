// What the nursery's own process does: fork workers, watch them, take back what the dead ones held, replace them.
#pragma once

#include <poll.h>

#include <chrono>
#include <string>
#include <vector>

#include "loader/base/child_process.h"
#include "loader/base/unique_fd.h"
#include "loader/workers/death_breaker.h"
#include "loader/workers/nursery.h"
#include "loader/workers/worker.h"

namespace leat {

// Single-threaded. It and the workers ignore SIGINT: Ctrl-C reaches the whole group; the parent decides, and its
// end is theirs.
//
// The fence: a run is taken back only when its worker has been reaped. A worker that is overdue is killed, and
// then waited for like any other.
class NurseryProcess {
 public:
  // `channel` leads to the parent, `parent` is its pidfd.
  NurseryProcess(const WorkerJob& job, NurseryOptions options, UniqueFd channel, UniqueFd parent);

  int run();  // until told to end, or until the parent is gone; the exit status

 private:
  using Clock = std::chrono::steady_clock;
  struct Worker {
    int id;
    ChildProcess process;
    bool overdue = false;  // and killed for it
  };
  struct Ending {
    std::string how;
    bool from_outside;  // most likely
  };
  struct Pending {  // a worker to be forked
    int id;
    Clock::time_point when;
    std::chrono::milliseconds wait;  // before the next attempt, should this one fail
  };

  void start_due();
  bool start(int id);  // false where fork fails
  int run_child(int id, int nursery);
  bool told_to_end();
  int poll_timeout() const;
  void reap_ended();
  void bury(Worker worker);
  Ending ending_of(const Worker& worker, int status);
  bool is_idle(std::size_t id) const;
  void kill_overdue();
  std::uint64_t samples_finished() const;
  void report(NurseryReport::Kind kind, const Worker& worker, int status) const;
  void report(const NurseryReport& message) const;
  void end_all();

  // Constant after construction.
  const WorkerJob& job_;
  const NurseryOptions options_;
  UniqueFd channel_;
  UniqueFd parent_;  // sees the parent's end even while another process holds the channel open

  DeathBreaker breaker_;
  std::uint64_t samples_blamed_ = 0;  // for deaths
  std::uint64_t oom_kills_;           // of the memory cgroup so far
  bool gave_up_ = false;
  std::vector<Worker> workers_;
  std::vector<Pending> pending_;
  std::vector<pollfd> polled_;  // channel, parent, then the workers in order
};

}  // namespace leat
