// A contact sheet: the first samples of a data set in one image.
#pragma once

#include <cstddef>

#include "leat/datasets/formats/record_conversion.h"
#include "leat/datasets/image/image.h"
#include "leat/datasets/record.h"

namespace leat::tools {

using namespace detail;

// Draws the first `samples` samples, row by row, in about as many rows as columns. Each image is scaled down to 128
// pixels at most, with its class's name, or its label's number, below. "BAD" marks a sample that cannot be read.
// Throws UsageError if the source has no samples or they have no images.
Image contact_sheet(const RecordConversion& source, std::size_t samples);

}  // namespace leat::tools
