// One sample as bytes, without gaps: the length of each ragged field (u64), then each field.
#pragma once

#include <cstddef>
#include <span>

#include "leat/datasets/sample_writer.h"

namespace leat::detail {

// Of a sample that is written whole.
std::size_t packed_bytes(const SampleWriter& sample);
void pack(const SampleWriter& sample, std::span<std::byte> room);  // packed_bytes() of it are used

// Writes every field. `packed` begins with what pack() left, and may go on; throws Error where a length in it leads
// behind its end, which pack() does not leave: something else wrote over it.
void unpack(std::span<const std::byte> packed, SampleWriter& out);

}  // namespace leat::detail
