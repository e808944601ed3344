// The decision on compression that stands at the start of a set.
#pragma once

#include <span>

#include "leat/datasets/formats/records/record_codec.h"
#include "leat/datasets/record.h"
#include "leat/datasets/record_writer.h"

namespace leat::detail {

// From the first samples of the set, those that kMeasuredRecords and kMeasuredBytes allow.
Compression plan_compression(const RecordSchema& schema, const RecordWriterOptions& options,
                             std::span<const Record> first);

// Whether more samples would change the decision.
bool enough_to_plan(std::size_t samples, std::size_t bytes);
std::size_t bytes_of(const Record& sample);

}  // namespace leat::detail
