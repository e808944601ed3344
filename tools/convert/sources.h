// What leat-convert can read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/formats/find_source.h"
#include "leat/datasets/formats/record_conversion.h"
#include "leat/datasets/image_warnings.h"
#include "tools/common/data_source.h"

namespace leat::tools {

using namespace detail;

// As in tools/common/data_source.h; that images are generated is told on standard error.
std::vector<NamedSource> sources_of(const std::string& uri, const std::optional<std::string>& split);
std::string path_of(const std::string& uri);

struct SourceOptions {
  std::string image_field =
      {};  // the one that becomes "image", as the source calls it; empty: where it is clear
  bool tells_progress = false;  // on standard error, while formats without a schema are read through
  bool allow_empty = false;     // as in ImageFolderOptions
};

// Formats without a schema are read through once (see RecordConversion). Throws UsageError where it cannot be read as
// what it was found to be.
std::unique_ptr<RecordConversion> open_source(const SourceLocation& location,
                                              const SourceOptions& options = {});

// What a user should know of a source that was read: a sentence about images that are damaged, but readable, and one
// about what its listing left out, where there is anything to say.
std::vector<std::string> warnings_of(const RecordConversion& source, const ImageWarnings& images);

// "an image folder", "leat records", "a source in the format webdataset".
std::string describe(const SourceLocation& location);

}  // namespace leat::tools
