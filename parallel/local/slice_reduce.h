// The reduction over buffers that one thread can read all of: each rank reduces its slice of everybody's
// elements and writes the result to all.
#pragma once

#include <cstddef>
#include <span>

#include "leat/parallel/communicator.h"

namespace leat::detail {

struct ElementRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

// Which of `count` elements `rank` of `ranks` reduces: disjoint, covering, and cut at multiples of 64
// elements.
ElementRange slice_of(int rank, int ranks, std::size_t count) noexcept;

// Replaces elements [first, last) of every buffer by their reduction, computed in the order of the buffers;
// f16 and bf16 in f32, rounded once. An element's bits depend on its inputs alone, not on how elements are
// cut into slices or buckets. The dtype is one that is_reducible() takes.
void slice_reduce(std::span<void* const> buffers, ElementRange range, DType dtype, ReduceOp op);

}  // namespace leat::detail
