// WorkerEnding: how a worker process ended, and why.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace leat::detail {

/// Describes the end of a worker process. It is sent in messages from the fork server to the parent, so it contains
/// no pointers.
struct WorkerEnding {
  enum class Cause : std::int32_t {
    own,              // it ended by itself, or by any signal except SIGKILL
    outside,          // SIGKILL, which the fork server did not send
    memory,           // SIGKILL, after the memory limit of its control group was reached
    overdue,          // killed by the fork server: a sample, or worker_init_fn, took longer than its timeout
    lost_descriptor,  // it ended by itself: the dataset had closed a descriptor of the loader
  };
  Cause cause = Cause::own;
  std::int32_t wait_status = 0;
  std::int64_t timeout_ns = 0;  // the timeout that it exceeded, if it was overdue
  bool up = false;              // whether it had initialized

  /// Describes it: "was killed by signal 9 (Killed), as the memory limit of its control group was reached".
  std::string describe() const;
};

}  // namespace leat::detail
