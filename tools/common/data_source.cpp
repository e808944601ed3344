#include "tools/common/data_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "leat/datasets/io/cache_folder.h"
#include "leat/loader/os/cpus.h"
#include "tools/common/command_line.h"
#include "tools/synthetic/synthetic.h"
#include "tools/synthetic/synthetic_folder.h"

namespace leat::tools {

using namespace detail;

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSynthetic = "synthetic:";
constexpr std::size_t kMinSynthetic = 50;
constexpr std::size_t kMaxSynthetic = 10'000'000;

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
  write_synthetic_image_folder(root, options);  // does nothing if they exist
  return root;
}

// Returns the URI itself or, for `synthetic:N`, the folder of the generated images.
std::string stored_uri(const std::string& uri, const Say& say) {
  if (!uri.starts_with(kSynthetic)) return uri;
  const std::size_t images = parse_image_count(std::string_view(uri).substr(kSynthetic.size()));
  return folder_of_synthetic(images, say).string();
}

// Returns the split's name. It is "train" for a single dataset that could have splits.
std::string_view split_name(const NamedSource& source) {
  return source.split.empty() ? source.location.split : source.split;
}

}  // namespace

std::vector<NamedSource> sources_of(const std::string& uri, const std::optional<std::string>& split,
                                    const Say& say) {
  const std::string stored = stored_uri(uri, say);
  return opening([&] { return find_sources(stored, split); });
}

ImageLocation find_images(const std::string& uri, const Say& say) {
  const std::vector<NamedSource> all = sources_of(uri, std::nullopt, say);
  const auto find = [&](std::string_view name) { return std::ranges::find(all, name, split_name); };
  if (const auto only = find(""); only != all.end()) return {.train = only->location};
  const auto train = find("train");
  if (train == all.end()) {
    throw UsageError(fmt::format("'{}' holds the split {}, but no train: name one folder, or a split of it",
                                 uri, split_name(all.front())));
  }
  ImageLocation location{.train = train->location};
  for (const char* const name : {"test", "val", "validation", "valid"}) {
    if (const auto held_back = find(name); held_back != all.end()) {
      location.held_back = held_back->location;
      break;
    }
  }
  return location;
}

void accept_empty_classes(SourceLocation& location) {
  if (location.format == SourceFormat::image_folder) location.options["allow_empty"] = true;
}

std::string path_of(const std::string& uri, const Say& say) {
  const std::string stored = stored_uri(uri, say);
  return opening([&] { return find_source(stored).where; });
}

fs::path cache_folder() {
  if (const auto folder = default_cache_folder()) return *folder;
  throw UsageError("no place for generated images: set LEAT_CACHE_DIR to a folder");
}

}  // namespace leat::tools
