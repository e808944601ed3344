// What leat-convert can read.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/formats/open_source.h"
#include "leat/datasets/image_warnings.h"
#include "leat/datasets/shards/conversion_source.h"

namespace leat::tools {

struct SourceAddress {
  enum class Kind { records, image_folder, format };

  Kind kind = Kind::image_folder;
  std::filesystem::path path;               // without a scheme; of some formats, with {000..123} in it
  std::optional<SourceFormat> format = {};  // of Kind::format
  DatasetPart part = DatasetPart::train;    // of idx and cifar, whose folders hold both
};

// A dataset to read.
struct NamedSource {
  std::string split;  // empty: it is all that there is, or the one that was asked for
  SourceAddress address;
};

// What `uri` names, whether or not it has splits: FORMAT:PATH (idx, cifar10, cifar100, webdataset, tfrecord, mds, beton,
// manifest), leat:PATH (leat records, or a folder with such splits), imagefolder:PATH or classes:PATH (one sub-folder per
// class), or a path alone: leat records (a folder with their manifest, or one shard), what recognise_source() knows, or
// else an image folder. Throws UsageError where there is nothing, or no leat records where they were named.
SourceAddress find_source(const std::string& uri);

// The datasets that `uri` names: its splits (see find_splits()), or the one called `split`, or else what find_source()
// finds. Throws UsageError where there is no such split, or it cannot be told what is one.
std::vector<NamedSource> find_sources(const std::string& uri, const std::optional<std::string>& split);

// Foreign formats are read through once (see FormatSource). Throws UsageError where it cannot be read as what it was
// found to be.
struct SourceOptions {
  std::string image_field =
      {};  // the one that becomes "image", as the source calls it; empty: where it is clear
  bool tells_progress = false;  // on standard error, while foreign formats are read through
  bool allow_empty = false;     // as in ImageFolderOptions
};
std::unique_ptr<ConversionSource> open_source(const SourceAddress& address,
                                              const SourceOptions& options = {});

// What a user should know of a source that was read: a sentence about images that are damaged, but readable, and one about
// what its listing left out, where there is anything to say.
std::vector<std::string> warnings_of(const ConversionSource& source, const ImageWarnings& images);

// "an image folder", "leat records", "a source in the format webdataset".
std::string describe(const SourceAddress& address);

}  // namespace leat::tools
