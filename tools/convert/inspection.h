// The commands leat-convert inspect and leat-convert verify.
#pragma once

#include <cstddef>
#include <string>

#include "tools/convert/options.h"

namespace leat::tools {

// Returns a report as text, or as JSON (see findings.h): schema, classes, counts, sizes and their histogram, and the
// histogram of labels. Sources are named as for sources_of(); several splits are reported one after the other. Reads
// every sample completely, except from leat records that are not compressed. Writes the contact sheet (of the first
// split) if one is asked for. Throws UsageError if there is no data set.
std::string inspect(const InspectOptions& options);

// Prints each bad sample, and a summary; or only JSON (see findings.h). Returns the number of bad samples. leat
// records are checked by their checksums. In other sources each image is decoded, and images that are damaged, but
// complete, are counted. Throws UsageError if there is no data set.
std::size_t verify(const InspectOptions& options);

}  // namespace leat::tools
