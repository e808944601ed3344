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

// A URI that starts with this names a folder whose sub-folders are the classes, whatever they are called.
inline constexpr std::string_view kClassesScheme = "classes:";

/// Finds the splits below a folder: those of train, val, valid, validation and test that hold leat records, data of a
/// known format, or class folders with images. Empty: the folder is no set of splits. Such a folder that holds images
/// alone, without class folders, is left out beside one that is a split.
///
/// Throws ArgumentError, which says how to say it, where folders called so may be classes: where one split stands
/// beside other folders with images, or the images lie in train/ itself. Throws SystemError where a folder cannot be
/// listed.
std::vector<Split> find_splits(const std::filesystem::path& folder);

/// The sub-folders with such names, whatever they hold: for a format that the user named.
std::vector<Split> split_folders(const std::filesystem::path& folder);

/// Throws ArgumentError where a folder holds shards of several splits, told by "train", "val" and "test" in their
/// names: read as one dataset, they would be mixed. Does nothing for a pattern of files.
void require_one_split(const std::string& where, SourceFormat format);

/// The format that recognize_source() finds at a path. Throws ArgumentError where a folder of shards
/// holds folders of images, too: an archive beside what was unpacked from it, say.
std::optional<SourceFormat> format_at(const std::filesystem::path& path);

/// The names of the sub-folders that hold images and are not among `splits`: what would be left out.
std::vector<std::string> left_out(const std::filesystem::path& folder,
                                  const std::vector<std::string>& splits);

/// Whether sub-folders of `folder` hold images, at any depth.
bool holds_classes(const std::filesystem::path& folder);

}  // namespace leat::detail
