// A reduction over buffers that one thread can read: each rank reduces its slice of all ranks' elements and writes
// the result to all buffers.
#pragma once

#include <cstddef>
#include <span>

#include "leat/parallel/communicator.h"

namespace leat::detail {

struct ElementRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

// Returns which of `count` elements `rank` of `ranks` reduces. The slices are disjoint, cover all elements, and are
// cut at multiples of 64 elements.
ElementRange slice_of(int rank, int ranks, std::size_t count) noexcept;

// Buffers of one dtype.
using SliceSources = std::span<const void* const>;
using SliceTargets = std::span<void* const>;

// Writes the reduction of elements [first, last) of the sources, computed in their order, to the same elements of every
// target. A target may be a source; other buffers must not overlap. f16 and bf16 are reduced in f32 and rounded once,
// without a copy in f32. An average is the sum divided by the number of sources. Integers wrap around. The maximum is
// defined for numbers only: if an operand is NaN, the result is one of the operands. The bits of an element depend only
// on its inputs, not on how the elements are divided into slices or buckets. Throws ArgumentError for what
// is_reducible() refuses.
void slice_reduce(SliceSources sources, SliceTargets targets, ElementRange range, DType dtype, ReduceOp op);

}  // namespace leat::detail
