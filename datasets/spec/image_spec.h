// Image datasets as JSON (docs/dataset-spec.md, "Images").
#pragma once

#include <optional>
#include <string>

#include "leat/datasets/image_dataset.h"
#include "leat/datasets/io/spec_reader.h"

namespace leat::detail {

// Returns nullopt if the source has no description.
std::optional<std::string> image_spec(const SampleSource& source,
                                      const std::optional<TransformPipeline>& transforms,
                                      const ImageDatasetOptions& options);

struct ImageSpec {
  std::optional<TransformPipeline> transforms;
  ImageDatasetOptions options;
};

// Reads the keys "transforms", "fields" and "decode". Returns nullopt if none of them is there.
std::optional<ImageSpec> read_image_spec(SpecReader& reader);

}  // namespace leat::detail
