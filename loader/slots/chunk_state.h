// The state of a chunk of rows, in one 64-bit word. Each change of the word is one compare-and-swap, or one store if
// nobody else may change the word at that time. So a process can die between any two accesses, and the word still
// says which worker held the chunk.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leat::detail {

enum class ChunkPhase : std::uint8_t {
  empty,    // nothing to do; the parent may publish
  ready,    // published, to be claimed by any worker, or by the worker that the word names
  claimed,  // a worker writes the rows
  done,     // the rows are written
  failed,   // the dataset threw, or a sample ended its workers; the failure record of the chunk describes it
};

// The worker id in a ready word that any worker may claim.
inline constexpr std::uint16_t kAnyWorker = 0xfffe;

// Bits 0-3: phase, 4-7: deaths, 8-23: worker, 24-63: generation, which is the number of the published batch. A loader
// never reuses a generation, so a late worker can never mistake a word of a later batch for its own.
struct ChunkState {
  ChunkPhase phase = ChunkPhase::empty;
  std::uint8_t deaths = 0;  // number of workers that died holding the chunk, at the row in progress
  std::uint16_t worker = 0;
  std::uint64_t generation = 0;

  static constexpr std::uint64_t kMaxGeneration = (std::uint64_t{1} << 40) - 1;

  constexpr std::uint64_t pack() const noexcept {
    return static_cast<std::uint64_t>(phase) | std::uint64_t{deaths} << 4 | std::uint64_t{worker} << 8 |
           generation << 24;
  }
  static constexpr ChunkState unpack(std::uint64_t word) noexcept {
    return {static_cast<ChunkPhase>(word & 0xf), static_cast<std::uint8_t>(word >> 4 & 0xf),
            static_cast<std::uint16_t>(word >> 8), word >> 24};
  }

  constexpr bool unfinished() const noexcept {
    return phase == ChunkPhase::ready || phase == ChunkPhase::claimed;
  }
  constexpr bool ready_for(std::size_t id) const noexcept {
    return phase == ChunkPhase::ready && (worker == kAnyWorker || worker == id);
  }
  constexpr ChunkState with(ChunkPhase next) const noexcept {
    ChunkState state = *this;
    state.phase = next;
    return state;
  }
  friend constexpr bool operator==(const ChunkState&, const ChunkState&) = default;
};

}  // namespace leat::detail
