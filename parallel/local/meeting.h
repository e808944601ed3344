// Where the ranks of one process meet to carry out a collective over each other's memory.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "leat/parallel/host/collective_call.h"

namespace leat::detail {

// Threads: meet() and part() alternate, called by one thread at a time for each rank; poison() and leave() by
// any. Invariants:
//  1. A round begins when all ranks have arrived with calls that agree; then meet() returns on every rank,
//  even where
//     the meeting is poisoned meanwhile. Otherwise it throws on every rank.
//  2. Between meet() and part() a rank only computes: it waits for nobody. Hence part() needs no deadline.
//  3. part() returns when every rank has parted. So no rank's memory is touched by others outside of its own
//     meet()..part(), and calls_ is constant between the two.
//  4. Once poison_ is set it never changes, and no further round begins.
//  5. What waiters test, round_, working_ and poison_, changes under mutex_ only.
class Meeting {
 public:
  Meeting(int ranks, std::chrono::milliseconds timeout);

  int ranks() const noexcept { return ranks_; }

  // Waits until every rank is here. Throws CommunicationError on disagreement (naming two ranks and what they
  // call), after the timeout (naming the ranks that are missing), and where the meeting is or gets poisoned.
  void meet(int rank, const CollectiveCall& call);

  // What `rank` brought to this round; between meet() and part() only.
  const CollectiveCall& call_of(int rank) const noexcept { return calls_[static_cast<std::size_t>(rank)]; }

  void part();

  void poison(std::string_view why) noexcept;  // everybody who waits, or will, gets a CommunicationError
  void leave(int rank) noexcept;               // the rank will not come again

 private:
  // All of these: mutex_ is held.
  [[noreturn]] void fail(std::string why);
  void arrive(int rank, const CollectiveCall& call);
  void begin_round();
  std::string disagreement() const;  // empty: all calls agree
  std::string missing(const std::vector<bool>& present) const;

  // Constant after construction.
  const int ranks_;
  const std::chrono::milliseconds timeout_;

  // Guarded by mutex_; calls_ is also read between meet() and part(), see invariant 3.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<CollectiveCall> calls_;
  std::vector<bool> arrived_;
  std::vector<bool> staying_;
  int working_ = 0;  // ranks between meet() and part()
  std::uint64_t round_ = 0;
  std::string poison_;
};

}  // namespace leat::detail
