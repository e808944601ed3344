// What lies at a path, and how to open it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "leat/datasets/formats/index_cache.h"
#include "leat/datasets/formats/labelled_pixels.h"
#include "leat/datasets/formats/raw_source.h"

namespace leat {

enum class SourceFormat { idx, cifar, webdataset, tfrecord, mds, beton, manifest };

// "idx", "cifar10" and "cifar100", "webdataset", "tfrecord", "mds", "beton", "manifest"; none for other names.
std::optional<SourceFormat> source_format(std::string_view name);

// "idx", "cifar", "webdataset", "tfrecord", "mds", "beton", "manifest".
std::string_view name_of(SourceFormat format);

// By the ending of a file's name, or of a pattern's with braces (.tar, .tfrecord, .tfrecords, .beton, .csv, .tsv), or
// by the names in a folder. None where that tells nothing; nothing is opened. Throws SystemError.
std::optional<SourceFormat> recognise_source(const std::string& where);

struct OpenOptions {
  DatasetPart part = DatasetPart::train;  // of idx and cifar, whose folders hold both
  IndexOptions index = {};                // of webdataset and tfrecord
  bool is_sequential = false;             // samples will be read in order: compressed tars are taken, too
};

// Opens what is known to be of that format. What the format's own source throws.
std::shared_ptr<const RawSource> open_source(SourceFormat format, const std::string& where,
                                             const OpenOptions& options = {});

}  // namespace leat
