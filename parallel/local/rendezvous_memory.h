// The memory in which ranks meet: shared by the threads of a process, or by processes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "leat/datasets/base/shared_atomic.h"
#include "leat/parallel/host/collective_call.h"

namespace leat::detail {

inline constexpr int kMaxMeetingRanks = 4096;
inline constexpr std::size_t kInlineBytes = 4096;  // of data that a rank brings along with its call

// Where a rank's data lies in memory that the other ranks have mapped, too.
struct SharedPlace {
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  std::uint64_t region = kNowhere;  // kNowhere: the other ranks cannot reach the data
  std::uint64_t offset = 0;         // in bytes from the region's start
};

// What a rank brings to a round. Pointers in `call` mean something only within one process.
struct RankCall {
  CollectiveCall call{};
  SharedPlace place{};
};

// A Failure in memory of fixed size. Longer texts are cut.
struct FailureRecord {
  static constexpr std::size_t kTextBytes = 1500;
  std::uint32_t kind = 0;
  std::uint32_t text_size = 0;
  std::array<char, kTextBytes> text{};
  std::array<std::uint64_t, kMaxMeetingRanks / 64> ranks{};  // one bit for each rank
};

// What two ranks tell each other about an exchange: one word, so that it changes as a whole.
class ExchangeState {
 public:
  ExchangeState() = default;
  explicit ExchangeState(std::uint64_t word) : word_(word) {}
  // `number` is the exchange's among those of the two ranks; `pieces` is how many have been written or taken.
  ExchangeState(int peer, bool sends, std::uint64_t number, std::uint32_t pieces) noexcept
      : word_((static_cast<std::uint64_t>(peer) + 1) << kPeerShift | std::uint64_t{sends} << kSendsShift |
              (number & kNumberMask) << kNumberShift | pieces) {}

  std::uint64_t word() const noexcept { return word_; }
  bool sends() const noexcept { return (word_ >> kSendsShift & 1U) != 0; }
  std::uint32_t pieces() const noexcept { return static_cast<std::uint32_t>(word_); }
  // Returns whether the other one is of the same exchange. Numbers are compared modulo 32768: only what the last
  // exchange of a rank left behind can be compared with a later one.
  bool same_exchange(ExchangeState other) const noexcept {
    constexpr std::uint64_t kSame = ~(std::uint64_t{1} << kSendsShift | 0xffffffffU);
    return (word_ & kSame) == (other.word_ & kSame);
  }

 private:
  static constexpr int kPeerShift = 48;
  static constexpr int kSendsShift = 47;
  static constexpr int kNumberShift = 32;
  static constexpr std::uint64_t kNumberMask = 0x7fff;

  std::uint64_t word_ = 0;
};

// Written by one rank only, except for `bell` and `taken`. Odd and even rounds have a slot each: a rank writes to a
// slot again only after a round that every rank entered when it no longer needed the slot.
struct RankCell {
  alignas(64) SharedAtomic<std::uint32_t> arrivals{0};  // number of rounds at which the rank has arrived
  SharedAtomic<std::uint32_t> left{0};                  // 1: the rank will not arrive again
  FailureRecord failure{};  // constant once RendezvousState names the rank as failed
  // Exchanges of two ranks (pair_exchange.h). The bell is the rank's futex, rung when what it waits for may be there.
  // `exchange` and `taken` are words of an ExchangeState: what the rank sends or receives, and what the receiver of its
  // data has taken, who writes that.
  alignas(64) SharedAtomic<std::uint32_t> bell{0};
  SharedAtomic<std::uint64_t> exchange{0};
  SharedAtomic<std::uint64_t> taken{0};
  CollectiveCall exchanged{};  // constant while `exchange` names it and the peer has not taken it
  alignas(64) std::array<RankCall, 2> calls{};
  alignas(64) std::array<std::array<std::byte, kInlineBytes>, 2> data{};
};

// The state of the meeting is one word, so that a round either begins or fails, for all ranks alike.
class RendezvousState {
 public:
  explicit RendezvousState(std::uint32_t word) : word_(word) {}

  std::uint32_t word() const noexcept { return word_; }
  int arrived() const noexcept { return static_cast<int>(word_ & kField); }
  bool failed() const noexcept { return failed_rank_plus_one() != 0; }
  int failed_rank() const noexcept { return static_cast<int>(failed_rank_plus_one()) - 1; }  // who said so
  std::uint32_t round() const noexcept { return word_ >> kRoundShift; }  // of all rounds, modulo 64

  RendezvousState with_arrival() const noexcept { return RendezvousState(word_ + 1); }
  RendezvousState with_failure(int rank) const noexcept {
    return RendezvousState(word_ | (static_cast<std::uint32_t>(rank) + 1) << kFailedShift);
  }
  // Keeps the failure, which depart() does not look at.
  RendezvousState next_round() const noexcept {
    return RendezvousState(((round() + 1) << kRoundShift) | (word_ & (kField << kFailedShift)));
  }

 private:
  static constexpr std::uint32_t kField = 0x1fff;  // holds 0 to kMaxMeetingRanks
  static constexpr int kFailedShift = 13;
  static constexpr int kRoundShift = 26;

  std::uint32_t failed_rank_plus_one() const noexcept { return (word_ >> kFailedShift) & kField; }

  std::uint32_t word_;
};
static_assert(kMaxMeetingRanks <= 0x1fff);

struct RendezvousHeader {
  alignas(64) SharedAtomic<std::uint32_t> state{0};     // a RendezvousState; the futex of those that wait
  alignas(64) SharedAtomic<std::uint32_t> sleepers{0};  // ranks that may sleep on it
  SharedAtomic<std::uint32_t> leavers{0};               // ranks that have left
};

// A header and one cell for each rank, in memory that is aligned to 64 bytes. Does not own the memory.
class RendezvousMemory {
 public:
  static std::size_t bytes_for(int ranks) noexcept {
    return sizeof(RendezvousHeader) + static_cast<std::size_t>(ranks) * sizeof(RankCell);
  }
  // Makes the header and the cells, in memory that no other rank uses yet.
  static RendezvousMemory create(std::span<std::byte> memory, int ranks);
  // Refers to what create() made with the same number of ranks.
  RendezvousMemory(std::byte* memory, int ranks) noexcept : memory_(memory), ranks_(ranks) {}

  int ranks() const noexcept { return ranks_; }
  RendezvousHeader& header() const noexcept { return *reinterpret_cast<RendezvousHeader*>(memory_); }
  RankCell& cell(int rank) const noexcept {
    return reinterpret_cast<RankCell*>(memory_ + sizeof(RendezvousHeader))[rank];
  }

 private:
  std::byte* memory_;
  int ranks_;
};

}  // namespace leat::detail
