// leat-convert inspect and verify.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "datasets/formats/open_source.h"

namespace leat::tools {

// Sources are named as find_source() has it. Schema, counts, sizes and their histogram, as text. Throws UsageError where there is no data set.
std::string inspect(const std::string& uri, DatasetPart part);

// Prints each bad sample, and a summary. Returns the number of bad ones. leat records are checked by their checksums,
// of other sources each picture is decoded. Throws UsageError where there is no data set.
std::size_t verify(const std::string& uri, DatasetPart part);

// Counts per power of two: "  64 KiB to 128 KiB  ########  123".
std::string size_histogram(std::span<const std::uint64_t> sizes);

}  // namespace leat::tools
