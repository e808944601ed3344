// The calls of one rank, in the order in which they were made, regardless of the streams that carry them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "leat/datasets/base/process_identity.h"
#include "leat/parallel/host/host_engine.h"

namespace leat::detail {

// Threads: enter() is called by the communicator's user; run() by the streams' threads and, for barriers, by the
// user; fail() by any thread. Invariants:
//  1. Every call that entered runs or fails. run() executes the calls in the order of their turns, one at a time.
//  2. Once failure_ is set it never changes, and no further call starts.
//  3. turn_, runs_ and failure_, which waiting threads test, change only under mutex_.
// A call waits for its turn at most 2 x timeout in a row in which no call of this rank runs. A call that runs has the
// engine's deadlines, and however long it takes, the calls behind it wait.
class CallQueue {
 public:
  CallQueue(std::unique_ptr<HostEngine> engine, std::chrono::milliseconds timeout);

  const HostEngine& engine() const noexcept { return *engine_; }

  void enter(CollectiveCall& call);  // sets the call's turn and number; throws the failure, if there was one
  void run(
      const CollectiveCall& call);  // waits for the call's turn, then runs it; throws what the engine throws
  void fail(const Failure& why) noexcept;  // ends this rank's part; also aborts the engine
  void throw_if_failed();

 private:
  void begin(const CollectiveCall& call);  // waits for the call's turn
  void end();                              // gives the turn to the next call
  void throw_failure() const;              // if there was one; mutex_ must be held

  // Constant after construction.
  const ProcessOwned<HostEngine> engine_;
  const std::chrono::milliseconds patience_;  // limit for waiting for a turn while no call runs

  // Guarded by mutex_.
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t entered_ = 0;
  std::uint64_t collectives_ = 0;         // entered
  std::vector<std::uint64_t> exchanges_;  // entered, by the other rank
  std::uint64_t turn_ = 0;
  bool runs_ = false;           // the call whose turn it is has begun
  std::exception_ptr failure_;  // a CommunicationError, or null
};

}  // namespace leat::detail
