// NCCL's data types, and sums, maxima and averages of them.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <span>

namespace leat::cuda_fake {

const char* name_of(ncclDataType_t type);
std::size_t size_of(ncclDataType_t type);  // in bytes; 0: not a type that the fake knows
// Tells whether reduce() takes these.
bool is_reducible(ncclDataType_t type, ncclRedOp_t op);

// Reduces `count` elements of each rank. The rank that a sum begins with differs from element to element, and 16-bit
// sums are rounded at each step, as NCCL's rings do. Averages divide before they sum.
void reduce(ncclDataType_t type, ncclRedOp_t op, std::span<const std::byte* const> ranks, std::size_t count,
            std::byte* result);

}  // namespace leat::cuda_fake
