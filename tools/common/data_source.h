// The sources of a program's images: data URIs.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/formats/find_source.h"

namespace leat::tools {

using namespace detail;

// The places of the images. If there is no place of held-back images, every tenth image of each class is held back
// (see ImageSet).
struct ImageLocation {
  SourceLocation train;
  std::optional<SourceLocation> held_back{};
  bool allow_corrupt = false;  // as in JpegLimits, for all images
  bool allow_empty = false;    // as in ImageFolderOptions, for both places
};

// Tells the user what is being done, in one line of text.
using Say = std::function<void(const std::string& line)>;

// Returns the datasets that `uri` names: the result of detail::find_sources() or, for synthetic:N, train/ and test/
// with N generated images of ten classes (at least 50), a fifth of them in test/. These are written once into
// cache_folder() and read from there afterwards. Throws UsageError if find_sources() finds nothing to read, or if N
// is out of range.
std::vector<NamedSource> sources_of(const std::string& uri, const std::optional<std::string>& split,
                                    const Say& say);

// Chooses from these datasets: the split train and, as held-back images, the first existing split of test, val,
// validation and valid. A single dataset is used as it is. Throws UsageError if there are splits, but no train.
ImageLocation find_images(const std::string& uri, const Say& say);

// Makes an image folder accept class folders without images. Does nothing to locations of other formats.
void accept_empty_classes(SourceLocation& location);

// Returns the path that `uri` names, without its scheme. Throws UsageError if the path does not exist.
std::string path_of(const std::string& uri, const Say& say);

// Returns $LEAT_CACHE_DIR if it is set, otherwise leat/ in $XDG_CACHE_HOME, otherwise leat/ in ~/.cache. Throws
// UsageError if none of the variables is set.
std::filesystem::path cache_folder();

}  // namespace leat::tools
