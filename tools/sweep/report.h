// What leat-sweep says: a table, a recommendation, a JSON file.
#pragma once

#include <span>
#include <string>

#include "tools/sweep/measurement.h"

namespace leat::tools {

// The smallest number of workers whose samples/s are at least 0.95 of the most. Throws ArgumentError without
// runs.
int recommended_workers(std::span<const Measurement> runs);

// One line each, columns aligned.
std::string table_header();
std::string table_row(const Measurement& run);

// {"runs":[{"num_workers","samples_per_second","first_batch_ms","cpu_seconds_per_1000_samples","peak_memory_mib"}],
//  "recommended_num_workers"}
std::string to_json(std::span<const Measurement> runs);

}  // namespace leat::tools
