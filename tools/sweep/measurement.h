// One number of workers, measured.
#pragma once

#include "tools/common/data_source.h"
#include "tools/sweep/options.h"

namespace leat::tools {

struct Measurement {
  int num_workers = 0;
  double samples_per_second = 0;            // after the first batch
  double first_batch_ms = 0;                // of the first next(), workers being up
  double cpu_utilisation = 0;               // share used of usable_cpus(), in the time of samples_per_second
  double cpu_seconds_per_1000_samples = 0;  // in the same time
  double peak_memory_mib = 0;               // Pss of the process and its workers, sampled
};

// Measures in a forked process; the caller stays single-threaded. Throws what went wrong there.
Measurement measure(const ImageLocation& location, const SweepOptions& options, int num_workers);

}  // namespace leat::tools
