// How a worker process ended, and why.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace leat::detail {

/// Lies in messages from the fork server to the parent, so it has no pointers.
struct WorkerEnding {
  enum class Cause : std::int32_t {
    own,              // its own code, or a signal that it earned
    outside,          // SIGKILL, and nobody here sent it
    memory,           // SIGKILL, when the memory limit of its control group was reached
    overdue,          // killed by the fork server: a sample, or worker_init_fn, took longer than its timeout
    lost_descriptor,  // its own: the dataset had closed a descriptor of the loader's
  };
  Cause cause = Cause::own;
  std::int32_t wait_status = 0;
  std::int64_t timeout_ns = 0;  // if it was overdue
  bool up = false;              // it had initialized

  /// "was killed by signal 9 (Killed), as the memory limit of its control group was reached"
  std::string describe() const;
};

}  // namespace leat::detail
