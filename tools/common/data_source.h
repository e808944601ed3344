// Where the images of a program come from: data URIs.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/formats/find_source.h"

namespace leat::tools {

using namespace detail;

// Where there is no place of held-back images, every tenth image of each class is held back (see ImageSet).
struct ImageLocation {
  SourceLocation train;
  std::optional<SourceLocation> held_back{};
  bool allow_corrupt = false;  // as in JpegLimits, for all images
  bool allow_empty = false;    // as in ImageFolderOptions, for both
};

// Tells the user, in one line of text, what is being done.
using Say = std::function<void(const std::string& line)>;

// The datasets that `uri` names: what detail::find_sources() finds, or of synthetic:N its train/ and test/: N
// generated images of ten classes (at least 50), a fifth of them in test/, written once into cache_folder() and taken
// from there from then on. Throws UsageError where find_sources() finds nothing to read, or N is out of range.
std::vector<NamedSource> sources_of(const std::string& uri, const std::optional<std::string>& split,
                                    const Say& say);

// Of those: the split train and, to be held back, the first of test, val, validation and valid that there is; or the
// one dataset there is. Throws UsageError where there are splits, but no train.
ImageLocation find_images(const std::string& uri, const Say& say);

// The path that `uri` names, without its scheme. Throws UsageError where nothing lies there.
std::string path_of(const std::string& uri, const Say& say);

// $LEAT_CACHE_DIR, or else leat/ in $XDG_CACHE_HOME, or else in ~/.cache. Throws UsageError where none of
// them is set.
std::filesystem::path cache_folder();

}  // namespace leat::tools
