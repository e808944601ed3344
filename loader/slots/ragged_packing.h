// From ragged rows as workers leave them to ragged rows as they are delivered.
#pragma once

#include <cstddef>

#include "leat/datasets/base/row_memory.h"
#include "leat/loader/batch_layout.h"

namespace leat::detail {

// Workers pack the rows of a chunk, but cannot know where the chunk before theirs will end (sample_writer.h).
// This moves the chunks of every ragged field of the slot at `base` to the front, one after the other, and
// makes the row offsets count from there: what is delivered does not tell how the rows were cut into chunks.
// Nothing moves where all rows have the greatest length. Costs nothing without ragged fields.
//
// Precondition: rows [0, rows) are written, in chunks of `rows_per_chunk`, and were not packed before. Throws
// Error where offsets lie outside of their chunk, which no SampleWriter leaves: something else wrote over them.
// `memory` is that of the rows, as for a SampleWriter: MemoryError where it has none for where they go.
void pack_ragged_fields(const BatchLayout& layout, std::byte* base, std::size_t rows,
                        std::size_t rows_per_chunk, RowMemory* memory = nullptr);

// For a row that could not be loaded: its ragged values have no elements, so that the next row of the chunk, which
// begins at `first`, knows where to go on. Costs nothing without ragged fields.
void empty_ragged_row(const BatchLayout& layout, std::byte* base, std::size_t first, std::size_t row);

}  // namespace leat::detail
