#include "tools/common/data_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "datasets/formats/cache_folder.h"
#include "datasets/image_folder.h"
#include "datasets/records/manifest.h"
#include "datasets/synthetic.h"
#include "datasets/synthetic_folder.h"
#include "loader/base/cpus.h"
#include "tools/common/command_line.h"

namespace leat::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kImageFolder = "imagefolder:";
constexpr std::string_view kRecords = "leat:";
constexpr std::string_view kSynthetic = "synthetic:";
constexpr std::size_t kMinSynthetic = 50;
constexpr std::size_t kMaxSynthetic = 10'000'000;

bool holds_picture(const fs::path& folder) {
  const auto options = fs::directory_options::follow_directory_symlink;
  return std::ranges::any_of(fs::recursive_directory_iterator(folder, options), [](const auto& entry) {
    return has_picture_name(entry.path()) && entry.is_regular_file();
  });
}

bool holds_classes(const fs::path& folder) {
  return fs::is_directory(folder) &&
         std::ranges::any_of(fs::directory_iterator(folder), [](const auto& entry) {
           return entry.is_directory() && holds_picture(entry.path());
         });
}

bool holds_images(const fs::path& folder) {
  return has_manifest(folder) || holds_classes(folder);
}

// Data of a format, at `path` itself or in train/ with test/ or val/ beside it.
ImageLocation locate(SourceFormat format, const fs::path& path) {
  if (format == SourceFormat::idx || format == SourceFormat::cifar) return {path, path, format};
  const fs::path train = path / "train";
  if (!fs::is_directory(train)) return {path, std::nullopt, format};
  for (const char* name : {"test", "val"}) {
    if (fs::is_directory(path / name)) return {train, path / name, format};
  }
  return {train, std::nullopt, format};
}

std::optional<SourceFormat> recognise(const fs::path& path) {
  if (const auto format = recognise_source(path.string())) return format;
  return fs::is_directory(path / "train") ? recognise_source((path / "train").string()) : std::nullopt;
}

ImageLocation look_at(const fs::path& path) {
  const auto format = recognise(path);
  const bool is_pattern = path.string().find('{') != std::string::npos;
  if (format && (fs::exists(path) || is_pattern)) return locate(*format, path);
  if (!fs::exists(path)) throw UsageError(fmt::format("there is nothing at '{}'", path.string()));
  if (!fs::is_directory(path)) {
    throw UsageError(fmt::format("'{}' is no folder; known are: {}", path.string(), data_uri_help()));
  }
  const fs::path train = path / "train";
  if (holds_images(train)) {
    for (const char* name : {"test", "val"}) {
      if (holds_images(path / name)) return {train, path / name};
    }
    return {train, std::nullopt};
  }
  if (holds_images(path)) return {path, std::nullopt};
  throw UsageError(
      fmt::format("'{}' holds neither sub-folders with JPEG or PNG files in them nor leat records, neither "
                  "itself nor in train/",
                  path.string()));
}

ImageLocation look_at_records(const fs::path& path) {
  if (has_manifest(path) || has_manifest(path / "train")) return look_at(path);
  throw UsageError(fmt::format("'{}' holds no leat records: there is no {}, neither in it nor in train/",
                               path.string(), kManifestName));
}

std::size_t parse_image_count(std::string_view text) {
  if (const auto count = parse_number(text, kMinSynthetic, kMaxSynthetic)) return *count;
  throw UsageError(fmt::format("'{}{}': give a number of images from {} to {}", kSynthetic, text,
                               kMinSynthetic, kMaxSynthetic));
}

ImageLocation generate(std::size_t images, const Say& say) {
  const fs::path root = cache_folder() / fmt::format("synthetic-v{}-{}", kSyntheticVersion, images);
  if (!fs::exists(root)) {
    say(fmt::format("generating {} images, once, into {}", images, root.string()));
    fs::create_directories(root.parent_path());
  }
  SyntheticFolderOptions options;
  options.images = images;
  options.threads = std::max(1, static_cast<int>(std::ceil(usable_cpus())));
  write_synthetic_image_folder(root, options);  // does nothing where they are there
  return {root / "train", root / "test"};
}

// The scheme of "s3://bucket": a letter, then letters, digits, '+', '-' or '.', then a colon. Empty if there
// is none.
std::string_view scheme_of(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  if (colon == std::string_view::npos || colon == 0 || !std::isalpha(static_cast<unsigned char>(uri[0])))
    return {};
  const std::string_view scheme = uri.substr(0, colon);
  const bool sound = std::ranges::all_of(
      scheme, [](unsigned char c) { return std::isalnum(c) || c == '+' || c == '-' || c == '.'; });
  return sound ? scheme : std::string_view();
}

}  // namespace

std::string_view data_uri_help() {
  return "PATH (a folder with train/ and test/ or val/ below it, or with one sub-folder per class, or of "
         "leat records), imagefolder:PATH (the same), leat:PATH (leat records, with pictures and labels), "
         "FORMAT:PATH (idx, cifar10, cifar100, webdataset, tfrecord, mds, beton, manifest), "
         "synthetic:N (N generated images of ten classes, made once and kept)";
}

ImageLocation find_images(const std::string& uri, const Say& say) {
  const std::string_view view = uri;
  if (view.starts_with(kImageFolder)) return look_at(view.substr(kImageFolder.size()));
  if (view.starts_with(kRecords)) return look_at_records(view.substr(kRecords.size()));
  if (view.starts_with(kSynthetic)) return generate(parse_image_count(view.substr(kSynthetic.size())), say);
  const std::string_view scheme = scheme_of(uri);
  if (const auto format = source_format(scheme)) return locate(*format, view.substr(scheme.size() + 1));
  if (!scheme.empty() && !fs::exists(uri)) {
    throw UsageError(
        fmt::format("'{}' has a scheme that is not known: {}; known are: {}", uri, scheme, data_uri_help()));
  }
  return look_at(uri);
}

fs::path cache_folder() {
  if (const auto folder = default_cache_folder()) return *folder;
  throw UsageError("no place for generated images: set LEAT_CACHE_DIR to a folder");
}

}  // namespace leat::tools
