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

// Writes the reduction of elements [first, last) of the sources, computed in their order, to the same elements of every
// target. A target may be a source. f16 and bf16 are reduced in f32 and rounded once. The bits of an element depend
// only on its inputs, not on how the elements are divided into slices or buckets. The dtype must be one that
// is_reducible() accepts.
void slice_reduce(std::span<const void* const> sources, std::span<void* const> targets, ElementRange range,
                  DType dtype, ReduceOp op);

}  // namespace leat::detail
