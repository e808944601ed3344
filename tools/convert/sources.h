// What leat-convert can read.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "datasets/formats/open_source.h"
#include "datasets/shards/conversion_source.h"

namespace leat::tools {

struct SourceAddress {
  enum class Kind { records, image_folder, format };

  Kind kind = Kind::image_folder;
  std::filesystem::path path;               // without a scheme; of some formats, with {000..123} in it
  std::optional<SourceFormat> format = {};  // of Kind::format
};

// What `uri` names: FORMAT:PATH (idx, cifar10, cifar100, webdataset, tfrecord, mds, beton, manifest), imagefolder:PATH
// (one sub-folder per class), or a path alone: leat records (a folder with their manifest, or one shard), what
// recognise_source() knows, or else an image folder. Throws UsageError where there is nothing.
SourceAddress find_source(const std::string& uri);

// `part` is that of idx and cifar, whose folders hold both. Foreign formats are read through once (see FormatSource).
// Throws UsageError where it cannot be read as what it was found to be.
std::unique_ptr<ConversionSource> open_source(const SourceAddress& address, DatasetPart part);

// "an image folder", "leat records", "a source in the format webdataset".
std::string describe(const SourceAddress& address);

}  // namespace leat::tools
