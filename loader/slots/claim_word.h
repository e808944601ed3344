// The 64-bit word that owns a run of rows. Every change of it is one compare-and-swap (or, where nobody else
// may touch it, one store), so a process can die between any two accesses and the word still says who held
// the run.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leat::detail {

enum class RunState : std::uint8_t {
  empty,    // nothing to do; the parent may publish
  ready,    // published, to be claimed by any worker, or by the one that the word names
  claimed,  // a worker writes the rows
  done,     // the rows are written
  failed,   // the dataset threw, or the sample killed its workers; the run's failure record says what
};

// In the worker's place of a ready word: whoever comes first.
inline constexpr std::uint16_t kAnyWorker = 0xfffe;

// bits 0-3 state, 4-7 deaths, 8-23 worker, 24-63 generation: the number of the published batch, never reused
// by a loader, so that a late worker can never take a word of a later batch for its own.
struct ClaimWord {
  RunState state = RunState::empty;
  std::uint8_t deaths = 0;  // of workers that held the run, at the row in progress
  std::uint16_t worker = 0;
  std::uint64_t generation = 0;

  static constexpr std::uint64_t kMaxGeneration = (std::uint64_t{1} << 40) - 1;

  constexpr std::uint64_t pack() const noexcept {
    return static_cast<std::uint64_t>(state) | std::uint64_t{deaths} << 4 | std::uint64_t{worker} << 8 |
           generation << 24;
  }
  static constexpr ClaimWord unpack(std::uint64_t word) noexcept {
    return {static_cast<RunState>(word & 0xf), static_cast<std::uint8_t>(word >> 4 & 0xf),
            static_cast<std::uint16_t>(word >> 8), word >> 24};
  }

  constexpr bool unfinished() const noexcept {
    return state == RunState::ready || state == RunState::claimed;
  }
  constexpr bool ready_for(std::size_t id) const noexcept {
    return state == RunState::ready && (worker == kAnyWorker || worker == id);
  }
  constexpr ClaimWord with(RunState next) const noexcept {
    ClaimWord word = *this;
    word.state = next;
    return word;
  }
  friend constexpr bool operator==(const ClaimWord&, const ClaimWord&) = default;
};

}  // namespace leat::detail
