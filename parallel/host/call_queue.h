// The calls of one rank, in the order in which they were made, whatever streams carry them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "leat/datasets/base/process_identity.h"
#include "leat/parallel/host/host_engine.h"

namespace leat::detail {

// Threads: enter() by the communicator's user; run() by the streams' threads and, for barriers, the user;
// fail() and abort() by any. Invariants:
//  1. Every number from enter() is run or failed; run() executes them in their order, one at a time.
//  2. Once failure_ is set it never changes, and no further call starts.
//  3. What waiters test, turn_ and failure_, changes under mutex_ only.
class CallQueue {
 public:
  CallQueue(std::unique_ptr<HostEngine> engine, std::chrono::milliseconds timeout);

  const HostEngine& engine() const noexcept { return *engine_; }

  std::uint64_t enter();                 // the next call's number; throws CommunicationError after a failure
  void run(const CollectiveCall& call);  // waits for the call's turn, then runs it; throws CommunicationError
  void fail(std::string_view why) noexcept;  // ends this rank's part: aborts the engine too

 private:
  void wait_for_turn(const CollectiveCall& call);
  void throw_if_failed() const;  // mutex_ is held

  // Constant after construction.
  const ProcessOwned<HostEngine> engine_;
  const std::chrono::milliseconds patience_;  // how long a turn may take

  // Guarded by mutex_.
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t entered_ = 0;
  std::uint64_t turn_ = 0;
  std::string failure_;
};

}  // namespace leat::detail
