#include "leat/datasets/image_folder.h"

#include <utility>

#include "leat/datasets/formats/folder/image_folder_source.h"
#include "leat/datasets/formats/registry.h"

namespace leat {

using namespace detail;

namespace {

std::shared_ptr<const SampleSource> open(const std::filesystem::path& root,
                                         const ImageFolderOptions& options) {
  SourceLocation location{.format = SourceFormat::image_folder, .where = root.string()};
  const ImageFolderOptions usual;
  if (options.max_file_bytes != usual.max_file_bytes)
    location.options["max_file_bytes"] = options.max_file_bytes;
  if (options.allow_empty) location.options["allow_empty"] = true;
  return open_source(location);
}

}  // namespace

ImageFolder::ImageFolder(const std::filesystem::path& root, TransformPipeline transforms,
                         ImageFolderOptions options)
    : ImageDataset(open(root, options), std::move(transforms),
                   {.fields = {"image", "label"},
                    .decode = {.limits = options.jpeg,
                               .exif_orientation = options.exif_orientation,
                               .reducing_gap = options.reducing_gap}}) {
  const auto& folder = static_cast<const ImageFolderSource&>(*source());
  ignored_files_ = folder.ignored_files();
  broken_links_ = folder.broken_links();
}

}  // namespace leat
