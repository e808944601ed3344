// One sample as bytes without gaps: the length of each ragged field (u64), then the value of each field.
#pragma once

#include <cstddef>
#include <span>

#include "leat/datasets/sample_writer.h"

namespace leat::detail {

// Returns the size of a sample in this form. All of its fields must have been written.
std::size_t packed_bytes(const SampleWriter& sample);
void pack(const SampleWriter& sample, std::span<std::byte> room);  // uses packed_bytes() of it

// Writes every field. `packed` begins with what pack() wrote and may be longer. Throws Error if a length in `packed`
// leads past its end. pack() never writes such a length, so something else has overwritten the sample.
void unpack(std::span<const std::byte> packed, SampleWriter& out);

}  // namespace leat::detail
