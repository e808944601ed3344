// Decides on compression at the start of a record set.
#pragma once

#include <span>

#include "leat/datasets/formats/records/record_codec.h"
#include "leat/datasets/record.h"
#include "leat/datasets/record_writer.h"

namespace leat::detail {

// Decides from the first samples of the set, as many as kMeasuredRecords and kMeasuredBytes allow.
Compression plan_compression(const RecordSchema& schema, const RecordWriterOptions& options,
                             std::span<const Record> first);

// Whether this number of samples, or of their bytes, is enough for the decision.
bool enough_to_plan(std::size_t samples, std::size_t bytes);
std::size_t bytes_of(const Record& sample);

}  // namespace leat::detail
