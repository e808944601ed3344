// The splits of a dataset: the folders train/, val/ and test/ below one folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leat/datasets/formats/open_source.h"

namespace leat::tools {

struct Split {
  std::string name;  // of the folder
  std::filesystem::path path;
};

// A URI that starts with this names a folder whose sub-folders are the classes, whatever they are called.
inline constexpr std::string_view kClassesScheme = "classes:";

// Those that start with these name a folder of images or of leat records explicitly.
inline constexpr std::string_view kImageFolderScheme = "imagefolder:";
inline constexpr std::string_view kRecordsScheme = "leat:";

// Throws UsageError where nothing follows the scheme of a data URI: "imagefolder:".
void require_path(const std::string& uri);

/// Throws UsageError where nothing lies at the path. A pattern of names, with {000..123} in it, is taken as it is.
void require_something(const std::filesystem::path& path);

/// Finds the splits below a folder: those of train, val, valid, validation and test that hold leat records, data of a
/// known format, or class folders with images. Empty: the folder is no set of splits. Such a folder that holds images
/// alone, without class folders, is left out beside one that is a split.
///
/// Throws UsageError, which says how to say it, where folders called so may be classes: where one split stands beside
/// other folders with images, or the images lie in train/ itself. Throws SystemError where a folder cannot be listed.
std::vector<Split> find_splits(const std::filesystem::path& folder);

/// The sub-folders with such names, whatever they hold: for a format that the user named.
std::vector<Split> split_folders(const std::filesystem::path& folder);

/// Throws UsageError where a folder holds shards of several splits, told by "train", "val" and "test" in their names:
/// read as one dataset, they would be mixed. Does nothing for a pattern of files.
void require_one_split(const std::string& where, SourceFormat format);

/// The format that recognise_source() finds at a path, none for leat records. Throws UsageError where a folder of shards
/// holds folders of images, too: an archive beside what was unpacked from it, say.
std::optional<SourceFormat> format_at(const std::filesystem::path& path);

/// The names of the sub-folders that hold images and are not among `splits`: what would be left out.
std::vector<std::string> left_out(const std::filesystem::path& folder,
                                  const std::vector<std::string>& splits);

/// Whether sub-folders of `folder` hold images, at any depth.
bool holds_classes(const std::filesystem::path& folder);

}  // namespace leat::tools
