// A rendezvous of the ranks of one process, which then carry out a collective on each other's memory.
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

// Threads: arrive() and depart() alternate, and are called by one thread at a time for each rank. Any thread may call
// fail() and leave(). Invariants:
//  1. A round begins when all ranks have arrived with calls that agree. Then arrive() returns on every rank, even if
//     the rendezvous fails meanwhile. Otherwise it throws on every rank.
//  2. Between arrive() and depart() a rank only computes and waits for no other rank. Hence depart() needs no
//     deadline.
//  3. depart() returns when every rank has departed. So other ranks access a rank's memory only between its own
//     arrive() and depart(), and calls_ is constant between the two.
//  4. Once failure_ is set it never changes, and no further round begins.
//  5. round_, working_ and failure_, which waiting threads test, change only under mutex_.
class Rendezvous {
 public:
  Rendezvous(int ranks, std::chrono::milliseconds timeout);

  int ranks() const noexcept { return ranks_; }

  // Waits until every rank is here. Throws CommunicationError on disagreement (naming two ranks and what they
  // call), after the timeout (naming the ranks that are missing), and if the rendezvous has failed or fails now.
  void arrive(int rank, const CollectiveCall& call);

  // Returns the call that `rank` brought to this round. Call it only between arrive() and depart().
  const CollectiveCall& call_of(int rank) const noexcept { return calls_[static_cast<std::size_t>(rank)]; }

  void depart();

  void fail(std::string_view why) noexcept;  // every arrive() that waits, and each later one, throws
  void leave(int rank) noexcept;             // the rank will not arrive again

 private:
  // The caller of these holds mutex_.
  [[noreturn]] void fail_and_throw(std::string why);
  void enter(int rank, const CollectiveCall& call);
  void begin_round();
  std::string disagreement() const;  // empty if all calls agree
  std::string missing(const std::vector<bool>& present) const;

  // Constant after construction.
  const int ranks_;
  const std::chrono::milliseconds timeout_;

  // Guarded by mutex_; calls_ is also read between arrive() and depart(), see invariant 3.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<CollectiveCall> calls_;
  std::vector<bool> arrived_;
  std::vector<bool> staying_;
  int working_ = 0;  // ranks between arrive() and depart()
  std::uint64_t round_ = 0;
  std::string failure_;
};

}  // namespace leat::detail
