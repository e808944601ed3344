// The structures in the shared memory of a SlotTable, except words, indices and rows. Only for slot_table*.cpp.
#pragma once

#include "leat/loader/slots/slot_table.h"

namespace leat::detail {

struct SlotTable::Control {
  alignas(64) SharedAtomic<std::uint32_t> work_sequence{0};  // the futex that workers sleep on
  SharedAtomic<std::uint32_t> sleepers{0};  // not below the number of sleepers; counts killed ones, too
  SharedAtomic<std::uint32_t> stop{0};
  alignas(64) mutable SharedAtomic<std::uint32_t> awaited{0};  // the parent sleeps, or is about to
  alignas(64) SharedAtomic<std::uint64_t> ns_per_sample{0};
  alignas(64) SharedAtomic<std::uint64_t> opened{0};  // number of open slots; see invariant 7
  SharedAtomic<std::uint32_t> active{0};              // workers with lower ids load, the others are parked
};

struct alignas(64) SlotTable::SlotHeader {
  SharedAtomic<std::uint64_t> generation{0};  // generation of the published batch; 0 if there is none
  SharedAtomic<std::uint32_t> chunks{0};
  SharedAtomic<std::uint32_t> next_chunk{0};  // hint: all lower chunks are taken
  BatchDescriptor descriptor;                 // see invariant 1
};

// The progress of a chunk; see invariants 2 and 3.
struct SlotTable::Progress {
  SharedAtomic<std::uint32_t> row{0};  // the row in progress
  std::uint32_t blamed_row = 0;        // the row to which the deaths in the word belong
  ChunkTiming timing;                  // written by the worker that finished the chunk
};

}  // namespace leat::detail
