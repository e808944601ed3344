// The first samples of a data set in one picture.
#pragma once

#include <cstddef>

#include "leat/datasets/image/image.h"
#include "leat/datasets/shards/conversion_source.h"

namespace leat::tools {

// The first `samples` samples, row by row, about as many rows as columns: each scaled down to 128 pixels at most, with
// its class's name, or its label's number, below; "BAD" stands for one that cannot be read. Throws UsageError where the
// source has no samples or they have no pictures.
Image contact_sheet(const ConversionSource& source, std::size_t samples);

}  // namespace leat::tools
