// The splits of a dataset: the folders train/, val/ and test/ below one folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leat/datasets/formats/registry.h"

namespace leat::detail {

struct Split {
  std::string name;  // of the folder
  std::filesystem::path path;
};

// A URI that starts with this names a folder whose sub-folders are the classes, whatever their names are.
inline constexpr std::string_view kClassesScheme = "classes:";

/// Finds the splits below a folder: the folders called train, val, valid, validation and test that hold leat records,
/// data of a known format, or class folders with images. Returns none if the folder is not a set of splits. A folder
/// of such a name that holds only images, without class folders, is left out if another one is a split.
///
/// Throws ArgumentError, which says how to resolve it, if folders of these names may be classes: if a single split
/// lies beside other folders with images, or if the images lie in train/ itself. Throws SystemError if a folder
/// cannot be listed.
std::vector<Split> find_splits(const std::filesystem::path& folder);

/// Returns the sub-folders with such names, whatever they hold. For a format that the user named.
std::vector<Split> split_folders(const std::filesystem::path& folder);

/// Throws ArgumentError if a folder holds shards of several splits, recognized by "train", "val" and "test" in their
/// names: read as one dataset, they would be mixed. Does nothing for a pattern of files.
void require_one_split(const std::string& where, SourceFormat format);

/// Returns the format that recognize_source() finds at a path. Throws ArgumentError if a folder of shards also holds
/// folders of images, for example an archive beside the files that were unpacked from it.
std::optional<SourceFormat> format_at(const std::filesystem::path& path);

/// Returns the names of the sub-folders that hold images and are not among `splits`, so that they would be left out.
std::vector<std::string> left_out(const std::filesystem::path& folder,
                                  const std::vector<std::string>& splits);

/// Whether sub-folders of `folder` hold images, at any depth.
bool holds_classes(const std::filesystem::path& folder);

}  // namespace leat::detail
