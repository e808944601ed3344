// The sources that leat-convert can read.
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

// As in tools/common/data_source.h. Generating images is reported on standard error.
std::vector<NamedSource> sources_of(const std::string& uri, const std::optional<std::string>& split);
std::string path_of(const std::string& uri);

struct SourceOptions {
  std::string image_field =
      {};  // field that becomes "image", by its name in the source; empty if there is only one candidate
  bool tells_progress = false;  // on standard error, while formats without a schema are scanned
  bool allow_empty = false;     // as in ImageFolderOptions
};

// Opens a source. Formats without a schema are scanned once (see RecordConversion). Throws UsageError if the source
// cannot be read in the format that was detected.
std::unique_ptr<RecordConversion> open_source(const SourceLocation& location,
                                              const SourceOptions& options = {});

// Returns what a user should know about a source that was read: a sentence about images that are damaged, but
// readable, and one about what its listing left out. Empty if there is nothing to say.
std::vector<std::string> warnings_of(const RecordConversion& source, const ImageWarnings& images);

// Returns "an image folder", "leat records", or "a source in the format webdataset".
std::string describe(const SourceLocation& location);

}  // namespace leat::tools
