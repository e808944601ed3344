#include "tools/convert/sources.h"

#include <fmt/format.h>

#include "datasets/records/manifest.h"
#include "datasets/shards/image_folder_source.h"
#include "datasets/shards/record_source.h"
#include "tools/common/command_line.h"

namespace leat::tools {

bool is_records(const std::filesystem::path& path) {
  return has_manifest(path) || (std::filesystem::is_regular_file(path) && path.extension() == ".leat");
}

std::unique_ptr<ConversionSource> open_source(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path))
    throw UsageError(fmt::format("there is nothing at '{}'", path.string()));
  try {
    if (is_records(path)) return std::make_unique<RecordSource>(path);
    return std::make_unique<ImageFolderSource>(path);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace leat::tools
