// Finds the fields of a stored sample that hold the image and the label.
#pragma once

#include "leat/datasets/image_dataset.h"
#include "leat/datasets/sample_source.h"

namespace leat::detail {

// Guesses the fields by the rules that ImageFields states. A name is empty if the rules do not lead to one field.
ImageFields guess_image_fields(const StoredSample& sample);

// Returns the given names, and replaces empty ones: by those that the source's schema tells, or without a schema by
// the guess from its first sample. Throws DataError listing the fields if a name would stay empty.
ImageFields complete_image_fields(const ImageFields& given, const SampleSource& source);

}  // namespace leat::detail
