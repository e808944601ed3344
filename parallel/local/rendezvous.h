// One rank's side of a meeting of all ranks, which exchange calls and then carry out a collective on each other's
// memory. The ranks are threads of a process or processes of a host.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "leat/parallel/host/failure.h"
#include "leat/parallel/local/rendezvous_memory.h"

namespace leat::detail {

struct RendezvousOptions {
  std::chrono::milliseconds timeout{60'000};  // of one wait for the other ranks
  // Returns what makes waiting hopeless, such as the end of a rank's process. Called about ten times per second during
  // a wait. May be empty.
  std::function<std::optional<Failure>()> find_problem;
};

// Threads: arrive(), meet() and depart() are called by one thread at a time. Any thread may call fail() and leave().
// Ranks need not be threads of one process, but each has a Rendezvous of its own on the same memory.
// Invariants:
//  1. A round begins when the last rank arrives: it compares the calls and moves the state to the next round, by a
//     compare-and-swap that succeeds only if no rank has failed. So the round begins for all ranks or for none. Once
//     it has begun, arrive() and meet() return on every rank, even if a rank fails meanwhile.
//  2. What a rank wrote before it arrived can be read by all ranks once the round has begun.
//  3. A rank's slot for a round is not written again before the next round has begun. A rank arrives there only when
//     it has read what it needs, so no second meeting is needed to protect the slots.
//  4. A failure is written to the failing rank's own cell first; then the state names that rank. The first failure
//     stays, and no round begins after it.
//  5. Whoever sleeps has counted itself in `sleepers` before it compares the state, and whoever changes the state so
//     that others may go on reads `sleepers` afterwards. Both in the total order of seq_cst, so no wake-up is lost.
//  6. No lock lies in shared memory: a rank that dies at any point leaves nothing locked.
//  7. Outside of rounds a rank sleeps on its own bell. Whoever changes what it waits for, fails or leaves changes the
//     bell afterwards, so no wake-up is lost.
class Rendezvous {
 public:
  Rendezvous(RendezvousMemory memory, int rank, RendezvousOptions options);

  // Replaces the options. Called by the thread that arrives.
  void set_options(RendezvousOptions options) { options_ = std::move(options); }

  int rank() const noexcept { return rank_; }
  int ranks() const noexcept { return memory_.ranks(); }

  // Waits until every rank has brought a call and at most kInlineBytes of data. Throws Disagreement if the calls
  // differ; PeerSilent after the timeout; PeerLost if a rank died or left; and what another rank failed with.
  void arrive(const RankCall& call, std::span<const std::byte> data = {});

  // Return what a rank brought to the round of the last arrive(). Call them until the end of the next meeting.
  const RankCall& call_of(int rank) const noexcept { return memory_.cell(rank).calls[slot_]; }
  const std::byte* data_of(int rank) const noexcept { return memory_.cell(rank).data[slot_].data(); }

  // Waits again within the same collective, until every rank has done so. Throws as arrive().
  void meet();

  // Does the same, for ranks that use memory of each other that must not be freed before. Neither fails nor has a
  // deadline: the ranks only compute before they depart, and no rank can die without the others.
  void depart() noexcept;

  // Waits until `done` returns true, which looks at what `peer` tells in the cells; whoever changes that calls ring()
  // for this rank. Outside of rounds, for `call`, an exchange with that rank. Throws PeerSilent after the timeout;
  // PeerLost if a rank died or the peer left; and what any rank failed with.
  void wait_for_peer(int peer, const CollectiveCall& call, const std::function<bool()>& done);
  void ring(int rank) const noexcept;

  // Fails with the failure and throws it, or the one that another rank failed with before.
  [[noreturn]] void fail_and_throw(const Failure& failure);

  RankCell& cell(int rank) const noexcept { return memory_.cell(rank); }

  void fail(const Failure& failure) noexcept;  // every rank that waits, and each later arrival, throws
  void leave() noexcept;                       // this rank will not arrive again

 private:
  enum class Failing { throws, ignored };

  void pass(Failing failing, bool compare);
  bool enter(Failing failing);  // counts this rank; returns whether it is the last
  void begin_round(Failing failing);
  void wait(Failing failing);
  bool begun(RendezvousState state, Failing failing) const;  // throws if the rendezvous has failed before
  void sleep(std::chrono::nanoseconds at_most, Failing failing) const noexcept;
  void give_up_if_hopeless(std::chrono::nanoseconds waited,
                           const std::function<std::vector<int>()>& absentees);
  void wake(bool certainly) const noexcept;
  [[noreturn]] void throw_failure(RendezvousState state) const;
  void fail_if_left();
  std::optional<Failure> disagreement() const;
  std::vector<int> missing() const;

  SharedAtomic<std::uint32_t>& word() const noexcept { return memory_.header().state; }

  // Constant after construction.
  const RendezvousMemory memory_;
  const int rank_;
  const int spins_;

  // Used by the thread that arrives.
  RendezvousOptions options_;
  std::uint32_t round_ = 0;   // of the state, until the next round begins
  std::size_t slot_ = 0;      // of the calls of the last arrive()
  CollectiveCall current_{};  // for messages

  std::mutex failing_;  // held while this rank's failure is written
};

}  // namespace leat::detail
