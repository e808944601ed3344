// Where the images of a program come from: data URIs.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "leat/datasets/formats/registry.h"

namespace leat::tools {

using namespace detail;

// Where there is no place of held-back images, every tenth image of each class is held back (see ImageSet).
struct ImageLocation {
  std::filesystem::path train;
  std::optional<std::filesystem::path> held_back{};
  // Of both; image folders and leat records may stand beside each other.
  SourceFormat format = SourceFormat::image_folder;
  bool allow_corrupt = false;  // as in JpegLimits, for all images
  bool allow_empty = false;    // as in ImageFolderOptions
};

// Tells the user, in one line of text, what is being done.
using Say = std::function<void(const std::string& line)>;

// The URIs, for messages: "PATH, imagefolder:PATH, ..."; data_uri_table() says what they mean.
std::string_view data_uri_help();

// Finds what `uri` names:
//   PATH              a folder with train/ and test/ or val/ below it, each holding one sub-folder per
//                     class; or a folder that holds the classes itself (or has them in train/ alone).
//                     Each of them may be a folder of leat records instead (recognized by their manifest).
//                     How splits and classes are told apart, and what is refused: see find_splits().
//   imagefolder:PATH  the same, said explicitly.
//   classes:PATH      a folder that holds the classes itself, even where one is called train.
//   leat:PATH         the same, where records must be in PATH or in its train/.
//   FORMAT:PATH       idx, cifar10, cifar100, webdataset, tfrecord, mds, beton, manifest: see
//                     datasets/formats/; webdataset and tfrecord take a folder of shards, or a path with
//                     {000..123} in it. A PATH alone that tells its format (see recognize_source()) needs no scheme.
//                     train/ with test/ or val/ beside it are taken as above, where both are of one format.
//   synthetic:N       N generated images of ten classes (at least 50), four fifths in train/, one fifth in
//                     test/; written once into cache_folder() and taken from there from then on.
// Throws UsageError where that is not what lies there, or for an unknown scheme.
ImageLocation find_images(const std::string& uri, const Say& say);

// The URI itself, or the folder of what `synthetic:N` names.
std::string stored_uri(const std::string& uri, const Say& say);

// $LEAT_CACHE_DIR, or else leat/ in $XDG_CACHE_HOME, or else in ~/.cache. Throws UsageError where none of
// them is set.
std::filesystem::path cache_folder();

}  // namespace leat::tools
