// What the watchdog does for one communicator.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "leat/parallel/nccl/call_history.h"
#include "leat/parallel/nccl/failure_exchange.h"
#include "leat/parallel/nccl/followed_calls.h"
#include "leat/parallel/nccl/nccl_handle.h"
#include "leat/parallel/nccl/watchdog.h"
#include "leat/parallel/store/deadline.h"

namespace leat::detail {

// Ends the communicator, on this rank and by an announcement on all others, when
//  - another rank has announced a failure, the store's server has lost a rank, or the store is gone;
//  - NCCL has found an asynchronous error. After one that a lost rank can cause, it first waits a moment for news that
//    name the rank;
//  - a collective has exceeded its limit. Then the ranks report their calls, and the first rank that asked finds out by
//    them who is missing. The watchdogs answer, so a rank whose own threads hang or compute answers, too; one whose
//    process is stopped does not, and is not waited for long.
//
// With collectives on streams it looks every 50 ms, and asks the store every 200 ms; otherwise both every second.
//
// Threads: only the watchdog's thread.
class CommunicatorWatch final : public Watched {
 public:
  static constexpr std::chrono::milliseconds kBusyInterval{50};

  CommunicatorWatch(NcclHandle& handle, FollowedCalls& calls, const CallHistory& history,
                    FailureExchange& exchange, int ranks)
      : handle_(handle),
        calls_(calls),
        history_(history),
        exchange_(exchange),
        reports_(static_cast<std::size_t>(ranks)) {}

  std::chrono::milliseconds look() noexcept override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Hang {
    OverdueCall call;
    bool asked_first = false;
    Deadline deadline;  // for the reports of the others or, if another rank asked first, for its announcement
  };

  void look_for_failures();
  void ask_store();
  void ask_nccl();
  void follow_hang();
  bool collect_reports();  // returns whether all are there
  void end(const Failure& failure);

  NcclHandle& handle_;
  FollowedCalls& calls_;
  const CallHistory& history_;
  FailureExchange& exchange_;

  std::optional<Failure> failure_;  // that ends the communicator
  bool has_reported_ = false;
  Clock::time_point next_question_{};         // to the store
  std::optional<Deadline> culprit_deadline_;  // for news that explain NCCL's error
  std::optional<Hang> hang_;
  std::vector<std::optional<CallReport>> reports_;
};

}  // namespace leat::detail
