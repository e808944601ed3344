// The conversion itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/convert/options.h"
#include "tools/convert/resume_state.h"

namespace leat::tools {

struct ConversionResult {
  std::string split;  // empty: SRC has no splits, or one was asked for
  bool was_finished =
      false;  // by an earlier run, which was killed when it cleaned up; then nothing else is known
  std::size_t samples = 0;  // written
  std::size_t resumed = 0;  // of them, found in whole shards of an earlier run
  std::size_t shards = 0;
  std::uint64_t read_bytes = 0;     // from the source, in this run
  std::uint64_t written_bytes = 0;  // in all shards
  double seconds = 0;               // of this run
  std::string compression;          // what was decided
  std::vector<BadSample> skipped;
  std::vector<std::string>
      warnings;  // sentences: about images that were damaged, but accepted; about broken links
};

// Reads, recodes and encodes samples in parallel, a bounded number of them at a time, and writes them in the source's
// order: the output is a function of the source and the options, not of the number of workers. One result for each
// split.
//
// All is written into <destination>.partial, which gets the destination's name when everything is on the disk; what was
// broken off stays there, to be resumed, wherever the process ended (see WorkFolder). Throws UsageError before anything
// is written, DataError at a bad sample unless those are skipped, SystemError where the disk is full.
std::vector<ConversionResult> convert(const ConvertOptions& options);

}  // namespace leat::tools
