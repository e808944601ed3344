#include "leat/datasets/formats/find_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/arrays/pixel_source.h"
#include "leat/datasets/formats/records/manifest.h"
#include "leat/datasets/formats/splits.h"
#include "leat/datasets/io/listing.h"

namespace leat::detail {

namespace {

namespace fs = std::filesystem;

// The scheme of "s3://bucket": a letter, then letters, digits, '+', '-' or '.', then a colon. Empty if there is none.
std::string_view scheme_of(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  const auto is_sound = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.';
  };
  if (colon == std::string_view::npos || colon == 0 || !is_letter(static_cast<unsigned char>(uri[0])) ||
      !std::ranges::all_of(uri.substr(0, colon), is_sound))
    return {};
  return uri.substr(0, colon);
}

[[noreturn]] void refuse_scheme(const std::string& uri, std::string_view scheme) {
  std::vector<std::string_view> known;
  for (const FormatRow& row : formats()) known.insert(known.end(), row.schemes.begin(), row.schemes.end());
  throw ArgumentError(fmt::format("'{}' has a scheme that is not known: {}; known are {}:", uri, scheme,
                                  fmt::join(known, ":, ")));
}

// Throws ArgumentError if nothing lies at the path. A pattern of names, with {000..123} in it, is taken as it is.
void require_something(const std::string& path) {
  const bool is_pattern = path.find('{') != std::string::npos;
  if (!is_pattern && !fs::exists(path)) throw ArgumentError(fmt::format("there is nothing at '{}'", path));
}

SourceLocation recognize(const std::string& path) {
  require_something(path);
  if (const auto format = format_at(path)) return {.format = *format, .where = path};
  if (fs::is_directory(path)) return {.format = SourceFormat::image_folder, .where = path};
  throw ArgumentError(fmt::format(
      "'{}' is of no format that is read: those are image folders, leat records (.leat), webdataset (.tar, "
      ".tar.gz, .tar.zst), tfrecord (.tfrecord), beton (.beton), manifest (.csv, .tsv), mds, idx and cifar "
      "(folders); a file with another ending can be said as FORMAT:PATH",
      path));
}

// Finds leat records: a folder of them, one shard file, or a folder with such folders as its splits.
SourceLocation records_at(const std::string& path) {
  const auto is_set = [](const Split& split) { return has_manifest(split.path); };
  if (has_manifest(path) || fs::is_regular_file(path) || std::ranges::any_of(split_folders(path), is_set))
    return {.format = SourceFormat::records, .where = path};
  throw ArgumentError(fmt::format(
      "'{}' holds no leat records: there is no {}, neither in it nor in its splits", path, kManifestName));
}

bool has_part(const SourceLocation& root, DatasetPart part) {
  return root.format == SourceFormat::idx ? has_idx_images(root.where, part) : has_cifar(root.where, part);
}

// Returns the part `split`. Without `split`, returns both parts if both exist, else the one that exists, or train if
// neither does.
std::vector<NamedSource> parts_of(const SourceLocation& root, const std::optional<std::string>& split) {
  SourceLocation train = root, test = root;
  train.split = "train";
  test.split = "test";
  if (split) {
    if (*split == "train") return {{"", train}};
    if (*split == "test") return {{"", test}};
    refuse_split(*split, root.format);
  }
  const bool has_train = has_part(root, DatasetPart::train), has_test = has_part(root, DatasetPart::test);
  if (has_train && has_test) return {{"train", train}, {"test", test}};
  return {{"", has_test ? test : train}};
}

// Returns what lies in a folder below `root`. Its format is known if the user gave a scheme, else it is recognized.
SourceLocation location_below(const SourceLocation& root, bool has_scheme, const fs::path& path) {
  if (!has_scheme) return recognize(path.string());
  if (has_manifest(path)) return {.format = SourceFormat::records, .where = path.string()};
  return {.format = root.format, .where = path.string()};
}

NamedSource chosen_split(const SourceLocation& root, bool has_scheme, const std::string& split) {
  const bool is_name =
      !split.empty() && split != "." && split != ".." && split.find('/') == std::string::npos;
  const fs::path path = fs::path(root.where) / split;
  if (is_name && fs::is_directory(path)) return {"", location_below(root, has_scheme, path)};
  throw ArgumentError(
      fmt::format("there is no split '{}': there is no such folder in '{}'", split, root.where));
}

std::vector<Split> splits_of(const SourceLocation& root) {
  if (root.format == SourceFormat::records)
    return has_manifest(root.where) || fs::is_regular_file(root.where) ? std::vector<Split>()
                                                                       : split_folders(root.where);
  if (root.format == SourceFormat::image_folder) return find_splits(root.where);
  return is_of_format(root.where, root.format) ? std::vector<Split>() : split_folders(root.where);
}

SourceLocation find(const std::string& uri) {
  if (uri.ends_with(':') && !fs::exists(uri)) throw ArgumentError(fmt::format("no path follows '{}'", uri));
  const std::string_view scheme = scheme_of(uri);
  const auto format = source_format(scheme);
  if (!format) {
    // A path may look as if it had a scheme; then it, or the folder of a pattern, exists.
    if (!scheme.empty() && !fs::exists(uri) && !fs::exists(fs::path(uri).parent_path()))
      refuse_scheme(uri, scheme);
    return recognize(uri);
  }
  const std::string path = uri.substr(scheme.size() + 1);
  if (*format == SourceFormat::records) return records_at(path);
  return {.format = *format, .where = path};
}

std::vector<NamedSource> find_all(const std::string& uri, const std::optional<std::string>& split) {
  const SourceLocation root = find(uri);
  const bool has_scheme = root.where != uri;  // find() removed a scheme
  if (row_of(root.format).has_splits) return parts_of(root, split);
  std::vector<NamedSource> sources;
  if (split) {
    sources.push_back(chosen_split(root, has_scheme, *split));
  } else if (!uri.starts_with(kClassesScheme)) {
    for (const Split& each : splits_of(root))
      sources.push_back({each.name, location_below(root, has_scheme, each.path)});
  }
  if (sources.empty()) sources.push_back({"", root});
  for (const NamedSource& each : sources) require_one_split(each.location.where, each.location.format);
  return sources;
}

}  // namespace

SourceLocation find_source(const std::string& uri) {
  return listing([&] { return find(uri); });
}

std::vector<NamedSource> find_sources(const std::string& uri, const std::optional<std::string>& split) {
  return listing([&] { return find_all(uri, split); });
}

}  // namespace leat::detail
