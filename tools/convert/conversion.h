// The conversion of a data set.
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
  std::string split;  // empty if SRC has no splits, or if one was asked for
  bool was_finished =
      false;  // by an earlier run, which was killed while it cleaned up; then the rest is unknown
  std::size_t samples = 0;  // written
  std::size_t resumed = 0;  // of these, found in complete shards of an earlier run
  std::size_t shards = 0;
  std::uint64_t read_bytes = 0;     // from the source, in this run
  std::uint64_t written_bytes = 0;  // in all shards
  double seconds = 0;               // of this run
  std::string compression;          // the compression that was chosen
  std::vector<BadSample> skipped;
  std::vector<std::string> warnings;  // sentences about accepted damaged images, and about broken links
};

// Reads, recodes and encodes samples in parallel, a limited number of them at a time, and writes them in the source's
// order: the output depends on the source and the options, not on the number of workers. Returns one result for each
// split.
//
// Writes everything into <destination>.partial, which is renamed to the destination when everything is on the disk.
// An interrupted conversion stays there and can be resumed, at whatever point the process ended (see WorkFolder).
// Throws UsageError before anything is written, DataError at a bad sample unless bad samples are skipped, SystemError
// if the disk is full.
std::vector<ConversionResult> convert(const ConvertOptions& options);

}  // namespace leat::tools
