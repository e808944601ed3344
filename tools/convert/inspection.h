// leat-convert inspect and verify.
#pragma once

#include <cstddef>
#include <string>

#include "datasets/formats/open_source.h"
#include "tools/convert/options.h"

namespace leat::tools {

// Sources are named as find_source() has it. Schema, classes, counts, sizes and their histogram, the histogram of labels,
// as text. Reads every sample, but for leat records that are not compressed. Writes the contact sheet, where
// one is asked for. Throws UsageError where there is no data set.
std::string inspect(const InspectOptions& options);

// Prints each bad sample, and a summary. Returns the number of bad ones. leat records are checked by their checksums,
// of other sources each picture is decoded. Throws UsageError where there is no data set.
std::size_t verify(const std::string& uri, DatasetPart part);

}  // namespace leat::tools
