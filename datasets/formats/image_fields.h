// Which fields of a stored sample hold image and label.
#pragma once

#include "leat/datasets/image_dataset.h"
#include "leat/datasets/sample_source.h"

namespace leat::detail {

// As ImageFields says. A name is empty where that is not one field.
ImageFields guess_image_fields(const StoredSample& sample);

// The given names, and for those that are empty those that the source's schema tells, or the guess from its first
// sample. Throws DataError that lists the fields where a name would be empty.
ImageFields complete_image_fields(const ImageFields& given, const SampleSource& source);

}  // namespace leat::detail
