// leat-convert inspect and verify.
#pragma once

#include <cstddef>
#include <string>

#include "tools/convert/options.h"

namespace leat::tools {

// Sources are named as sources_of() has it; of several splits, one after the other. Schema, classes, counts, sizes and
// their histogram, the histogram of labels, as text; or as JSON, see findings.h. Reads every sample, but for leat
// records that are not compressed. Writes the contact sheet, where one is asked for (of the first split). Throws
// UsageError where there is no data set.
std::string inspect(const InspectOptions& options);

// Prints each bad sample, and a summary; or JSON alone, see findings.h. Returns the number of bad ones. leat records
// are checked by their checksums, of other sources each image is decoded, and those counted that are damaged, but
// complete. Throws UsageError where there is no data set.
std::size_t verify(const InspectOptions& options);

}  // namespace leat::tools
