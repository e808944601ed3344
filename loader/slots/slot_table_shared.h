// What lies in the shared memory of a SlotTable beside words, indices and rows. For slot_table*.cpp only.
#pragma once

#include "leat/loader/slots/slot_table.h"

namespace leat::detail {

struct SlotTable::Control {
  alignas(64) SharedAtomic<std::uint32_t> work_sequence{0};  // the futex that workers sleep on
  SharedAtomic<std::uint32_t> sleepers{0};  // at least as many as sleep; a killed one stays counted
  SharedAtomic<std::uint32_t> stop{0};
  alignas(64) mutable SharedAtomic<std::uint32_t> awaited{0};  // the parent sleeps, or is about to
  alignas(64) SharedAtomic<std::uint64_t> ns_per_sample{0};
  alignas(64) SharedAtomic<std::uint64_t> opened{0};  // slots; see invariant 7
  SharedAtomic<std::uint32_t> active{0};              // workers with lower ids load, the others are parked
};

struct alignas(64) SlotTable::SlotHeader {
  SharedAtomic<std::uint64_t> generation{0};  // of the batch to be claimed from; 0: none
  SharedAtomic<std::uint32_t> chunks{0};
  SharedAtomic<std::uint32_t> next_chunk{0};  // hint: the chunks below are taken
  BatchDescriptor descriptor;                 // see invariant 1
};

// How far a chunk is loaded; see invariants 2 and 3.
struct SlotTable::Progress {
  SharedAtomic<std::uint32_t> row{0};  // in progress
  std::uint32_t blamed_row = 0;        // that the deaths in the word belong to
  ChunkTiming timing;                  // of the worker that finished it
};

}  // namespace leat::detail
