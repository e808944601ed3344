// The first samples of a data set in one image.
#pragma once

#include <cstddef>

#include "leat/datasets/formats/record_conversion.h"
#include "leat/datasets/image/image.h"
#include "leat/datasets/record.h"

namespace leat::tools {

using namespace detail;

// The first `samples` samples, row by row, about as many rows as columns: each scaled down to 128 pixels at most, with
// its class's name, or its label's number, below; "BAD" stands for one that cannot be read. Throws UsageError where the
// source has no samples or they have no images.
Image contact_sheet(const RecordConversion& source, std::size_t samples);

}  // namespace leat::tools
