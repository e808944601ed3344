// Restricts a thread to some CPUs for as long as it does certain work.
#pragma once

#include <utility>
#include <vector>

namespace leat::detail {

// A restriction never gives a thread a CPU that it might not use without it: outside limits (taskset, cpusets, control
// groups) stay in force. Since it makes a thread faster at best, what the system refuses is no error: the thread's CPUs
// then stay as they are. One thread uses an object.
class CpuRestriction {
 public:
  // Restricts to `cpus`, ascending. Without any, nothing is ever restricted.
  explicit CpuRestriction(std::vector<int> cpus) : cpus_(std::move(cpus)) {}

  // Restricts the calling thread to those of the CPUs that it may use now. Does nothing if it may use none of them, or
  // no others.
  void apply() noexcept;

  // Gives the calling thread back the CPUs that it had before apply(). Does nothing if they were changed in between by
  // somebody else.
  void lift() noexcept;

  // Lifts a restriction while it lives, and applies it again.
  class Lifted {
   public:
    explicit Lifted(CpuRestriction& restriction) noexcept : restriction_(restriction) { restriction_.lift(); }
    Lifted(const Lifted&) = delete;
    Lifted& operator=(const Lifted&) = delete;
    ~Lifted() { restriction_.apply(); }

   private:
    CpuRestriction& restriction_;
  };

 private:
  const std::vector<int> cpus_;
  std::vector<int> before_;  // what the thread had before apply(); empty: nothing is restricted
  std::vector<int> now_;     // what apply() gave it
};

}  // namespace leat::detail
