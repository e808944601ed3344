// The calls of one rank, in the order in which they were made, regardless of the streams that carry them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>

#include "leat/datasets/base/process_identity.h"
#include "leat/parallel/host/host_engine.h"

namespace leat::detail {

// Threads: enter() is called by the communicator's user; run() by the streams' threads and, for barriers, by the
// user; fail() by any thread. Invariants:
//  1. Every call whose number came from enter() runs or fails. run() executes the calls in the order of their
//     numbers, one at a time.
//  2. Once failure_ is set it never changes, and no further call starts.
//  3. turn_ and failure_, which waiting threads test, change only under mutex_.
class CallQueue {
 public:
  CallQueue(std::unique_ptr<HostEngine> engine, std::chrono::milliseconds timeout);

  const HostEngine& engine() const noexcept { return *engine_; }

  std::uint64_t enter();  // next call's number; throws the failure, if there was one
  void run(
      const CollectiveCall& call);  // waits for the call's turn, then runs it; throws what the engine throws
  void fail(const Failure& why) noexcept;  // ends this rank's part; also aborts the engine
  void throw_if_failed();

 private:
  void wait_for_turn(const CollectiveCall& call);
  void throw_failure() const;  // if there was one; mutex_ must be held

  // Constant after construction.
  const ProcessOwned<HostEngine> engine_;
  const std::chrono::milliseconds patience_;  // limit for waiting for a turn

  // Guarded by mutex_.
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t entered_ = 0;
  std::uint64_t turn_ = 0;
  std::exception_ptr failure_;  // a CommunicationError, or null
};

}  // namespace leat::detail
