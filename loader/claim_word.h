// The 64-bit word that owns a run of rows. Every change of it is one compare-and-swap (or, where nobody else
// may touch it, one store), so a process can die between any two accesses and the word still says who held
// the run.
#pragma once

#include <cstdint>

namespace leat {

enum class RunState : std::uint8_t {
  empty,    // nothing to do; the parent may publish
  ready,    // published, to be claimed by any worker
  claimed,  // a worker writes the rows
  done,     // the rows are written
  failed,   // the dataset threw; the run's failure record says what
};

// bits 0-7 state, 8-23 worker, 24-63 generation: the number of the published batch, never reused by a loader,
// so that a late worker can never take a word of a later batch for its own.
struct ClaimWord {
  RunState state = RunState::empty;
  std::uint16_t worker = 0;
  std::uint64_t generation = 0;

  static constexpr std::uint64_t kMaxGeneration = (std::uint64_t{1} << 40) - 1;

  constexpr std::uint64_t pack() const noexcept {
    return static_cast<std::uint64_t>(state) | std::uint64_t{worker} << 8 | generation << 24;
  }
  static constexpr ClaimWord unpack(std::uint64_t word) noexcept {
    return {static_cast<RunState>(word & 0xff), static_cast<std::uint16_t>(word >> 8), word >> 24};
  }

  constexpr bool unfinished() const noexcept {
    return state == RunState::ready || state == RunState::claimed;
  }
  friend constexpr bool operator==(const ClaimWord&, const ClaimWord&) = default;
};

}  // namespace leat
