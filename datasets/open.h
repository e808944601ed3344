/// \file
/// Functions that open datasets from descriptions.
#pragma once

#include <memory>
#include <string>

#include "leat/datasets/dataset.h"
#include "leat/datasets/export.h"
#include "leat/datasets/sample_source.h"
#include "leat/datasets/warning.h"

namespace leat {

/// Opens the dataset that `spec` describes: a JSON object such as Dataset::spec() returns, or a URI.
/// docs/dataset-spec.md documents every key. Examples:
///
///     "leat:records/train"                               all fields of a set of leat records
///     "cifar10:data"                                     its images and labels, as they are stored
///     {"source": "webdataset:train-{000..123}.tar",      images and labels, transformed
///      "transforms": [{"name": "RandomResizedCrop", "size": 224}, {"name": "RandomHorizontalFlip"}]}
///
/// `on_warning` receives what a user should know although nothing was rejected, such as an index that cannot be
/// stored.
///
/// Throws ArgumentError that names the key if the description is wrong, and whatever the dataset's constructor
/// throws.
LEAT_EXPORT std::unique_ptr<Dataset> open_dataset(const std::string& spec,
                                                  const WarningHandler& on_warning = {});

/// Opens stored samples: those that the keys "source", "split" and "options" of `spec` describe, or those of a URI.
/// Otherwise like open_dataset().
LEAT_EXPORT std::shared_ptr<const SampleSource> open_source(const std::string& spec,
                                                            const WarningHandler& on_warning = {});

}  // namespace leat
