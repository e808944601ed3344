// Packs the ragged rows that workers have written into the form in which they are delivered.
#pragma once

#include <cstddef>

#include "leat/datasets/base/row_memory.h"
#include "leat/loader/batch_layout.h"

namespace leat::detail {

// Workers pack the rows of a chunk, but cannot know where the chunk before theirs will end (sample_writer.h). This
// function moves the chunks of every ragged field of the slot at `base` to the front, one after the other, and
// adjusts the row offsets. So the delivered bytes do not depend on how the rows were divided into chunks. Nothing
// moves if all rows have the greatest length. Costs nothing without ragged fields.
//
// Precondition: rows [0, rows) are written, in chunks of `rows_per_chunk`, and were not packed before. Throws Error
// if offsets lie outside their chunk: a SampleWriter never writes such offsets, so other code has overwritten them.
// `memory` provides the memory of the rows, as for a SampleWriter. Throws MemoryError if there is not enough of it at
// the place to which rows move.
void pack_ragged_fields(const BatchLayout& layout, std::byte* base, std::size_t rows,
                        std::size_t rows_per_chunk, RowMemory* memory = nullptr);

// Makes a row that could not be loaded have no elements in ragged fields, so that the next row of its chunk knows
// where to continue. `first` is the first row of the chunk. Costs nothing without ragged fields.
void empty_ragged_row(const BatchLayout& layout, std::byte* base, std::size_t first, std::size_t row);

}  // namespace leat::detail
