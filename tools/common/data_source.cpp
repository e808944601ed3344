#include "tools/common/data_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leat/datasets/formats/find_source.h"
#include "leat/datasets/formats/records/manifest.h"
#include "leat/datasets/formats/splits.h"
#include "leat/datasets/io/cache_folder.h"
#include "leat/loader/os/cpus.h"
#include "tools/common/command_line.h"
#include "tools/common/standard_tables.h"
#include "tools/synthetic/synthetic.h"
#include "tools/synthetic/synthetic_folder.h"

namespace leat::tools {

using namespace detail;

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSynthetic = "synthetic:";
constexpr std::size_t kMinSynthetic = 50;
constexpr std::size_t kMaxSynthetic = 10'000'000;

// Of the splits: train, and the first one that can be held back.
ImageLocation location_of(const fs::path& path, const std::vector<Split>& splits, SourceFormat format) {
  const auto find = [&](std::string_view name) { return std::ranges::find(splits, name, &Split::name); };
  const auto train = find("train");
  if (train == splits.end()) {
    throw UsageError(fmt::format("'{0}' holds {1}/, but no train/: name one folder, such as {0}/{1}",
                                 path.string(), splits.front().name));
  }
  ImageLocation location{train->path, std::nullopt, format};
  for (const char* name : {"test", "val", "validation", "valid"}) {
    if (const auto held_back = find(name); held_back != splits.end()) {
      location.held_back = held_back->path;
      break;
    }
  }
  return location;
}

// Data of a format, at `path` itself or in train/ with test/ or val/ beside it.
ImageLocation locate(SourceFormat format, const fs::path& path) {
  if (row_of(format).has_splits) return {path, path, format};
  if (!is_of_format(path.string(), format)) {
    if (const auto splits = split_folders(path); !splits.empty()) return location_of(path, splits, format);
  }
  require_one_split(path.string(), format);
  return {path, std::nullopt, format};
}

// Image folders and leat records are told apart where they are opened.
bool is_folder_or_records(SourceFormat format) {
  return format == SourceFormat::image_folder || format == SourceFormat::records;
}

SourceFormat format_of(const fs::path& path) {
  return format_at(path).value_or(SourceFormat::image_folder);
}

ImageLocation locate(const fs::path& path, const std::vector<Split>& splits) {
  ImageLocation location = location_of(path, splits, SourceFormat::image_folder);
  location.format = format_of(location.train);
  require_one_split(location.train.string(), location.format);
  if (!location.held_back) return location;
  const SourceFormat other = format_of(*location.held_back);
  if (other != location.format && !(is_folder_or_records(other) && is_folder_or_records(location.format))) {
    throw UsageError(fmt::format("'{}' and '{}' are of different formats", location.train.string(),
                                 location.held_back->string()));
  }
  return location;
}

ImageLocation look_at_folder(const fs::path& path) {
  require_something(path.string());
  if (!fs::is_directory(path)) {
    throw UsageError(fmt::format("'{}' is no folder; known are: {}", path.string(), data_uri_help()));
  }
  if (has_manifest(path)) return {path, std::nullopt, SourceFormat::records};
  if (const auto splits = find_splits(path); !splits.empty()) return locate(path, splits);
  if (holds_classes(path)) return {path, std::nullopt};
  throw UsageError(
      fmt::format("'{}' holds neither sub-folders with JPEG or PNG files in them nor leat records, neither "
                  "itself nor in train/",
                  path.string()));
}

ImageLocation look_at(const fs::path& path) {
  require_something(path.string());
  if (const auto format = format_at(path)) return locate(*format, path);
  return look_at_folder(path);
}

ImageLocation classes_at(const fs::path& path) {
  if (holds_classes(path)) return {path, std::nullopt};
  throw UsageError(fmt::format("'{}' holds no sub-folders with JPEG or PNG files in them", path.string()));
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

fs::path folder_of_synthetic(std::size_t images, const Say& say) {
  const fs::path root = cache_folder() / fmt::format("synthetic-v{}-{}", kSyntheticVersion, images);
  if (!fs::exists(root)) {
    say(fmt::format("generating {} images, once, into {}", images, root.string()));
    fs::create_directories(root.parent_path());
  }
  SyntheticFolderOptions options;
  options.images = images;
  options.threads = std::max(1, static_cast<int>(std::ceil(usable_cpus())));
  write_synthetic_image_folder(root, options);  // does nothing where they are there
  return root;
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

ImageLocation find_stored_images(const std::string& uri) {
  const std::string_view view = uri;
  if (uri.ends_with(':') && !fs::exists(uri)) throw UsageError(fmt::format("no path follows '{}'", uri));
  const std::string_view scheme = scheme_of(uri);
  const std::string_view path = scheme.empty() ? view : view.substr(scheme.size() + 1);
  if (view.starts_with(kClassesScheme)) return classes_at(path);
  const auto format = source_format(scheme);
  if (format == SourceFormat::image_folder) return look_at_folder(path);
  if (format == SourceFormat::records) return look_at_records(path);
  if (format) return locate(*format, path);
  if (!scheme.empty() && !fs::exists(uri)) {
    throw UsageError(
        fmt::format("'{}' has a scheme that is not known: {}; known are: {}", uri, scheme, data_uri_help()));
  }
  return look_at(uri);
}

}  // namespace

std::string_view data_uri_help() {
  static const std::string uris = [] {
    std::string list;
    for (const auto& [term, meaning] : data_uri_table().rows) list += (list.empty() ? "" : ", ") + term;
    return list;
  }();
  return uris;
}

ImageLocation find_images(const std::string& uri, const Say& say) {
  if (!uri.starts_with(kSynthetic)) return opening([&] { return find_stored_images(uri); });
  const fs::path root = stored_uri(uri, say);
  return {root / "train", root / "test"};
}

std::string stored_uri(const std::string& uri, const Say& say) {
  if (!uri.starts_with(kSynthetic)) return uri;
  return folder_of_synthetic(parse_image_count(std::string_view(uri).substr(kSynthetic.size())), say)
      .string();
}

fs::path cache_folder() {
  if (const auto folder = default_cache_folder()) return *folder;
  throw UsageError("no place for generated images: set LEAT_CACHE_DIR to a folder");
}

}  // namespace leat::tools
