#include "leat/datasets/formats/splits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/folder/image_folder_source.h"
#include "leat/datasets/formats/records/manifest.h"
#include "leat/datasets/io/listing.h"

namespace leat::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kNames{"train", "val", "valid", "validation", "test"};

enum class Holding { nothing, images, dataset };

bool is_split_name(std::string_view name) {
  return std::ranges::find(kNames, name) != kNames.end();
}

bool is_image(const fs::directory_entry& entry) {
  return has_image_name(entry.path()) && !is_broken_link(entry) && entry.is_regular_file();
}

bool is_folder(const fs::directory_entry& entry) {
  return !is_broken_link(entry) && entry.is_directory();
}

// Replaces std::filesystem's recursive iterator, which ends with an error at a link that leads nowhere.
bool holds_image(const fs::path& folder, int depth = 0) {
  constexpr int kMaxDepth = 32;  // deeper, a link leads in a circle; ImageFolder reports that
  return std::ranges::any_of(fs::directory_iterator(folder), [=](const fs::directory_entry& entry) {
    return is_image(entry) || (depth < kMaxDepth && is_folder(entry) && holds_image(entry.path(), depth + 1));
  });
}

Holding holding_of(const fs::path& folder) {
  if (recognize_source(folder.string()) || holds_classes(folder)) return Holding::dataset;
  return std::ranges::any_of(fs::directory_iterator(folder), is_image) ? Holding::images : Holding::nothing;
}

std::vector<Split> folders_in(const fs::path& folder) {
  std::vector<Split> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_folder(entry)) found.push_back({entry.path().filename().string(), entry.path()});
  }
  std::ranges::sort(found, {}, &Split::name);
  return found;
}

[[noreturn]] void refuse(const fs::path& folder, const std::string& name, const std::string& other) {
  const std::string path = folder.string();
  throw ArgumentError(fmt::format(
      "'{0}' can be read in two ways: {1}/ may be a split or a class{2}. If the sub-folders are "
      "the classes, say {3}{0}; if {1}/ is a split, name the folder {0}/{1}",
      path, name, other.empty() ? " (it holds images, but no class folders)" : " like " + other + "/",
      kClassesScheme));
}

std::vector<Split> find_splits_in(const fs::path& folder) {
  const std::vector<Split> folders = folders_in(folder);
  if (std::ranges::none_of(folders, is_split_name, &Split::name)) return {};
  std::vector<Split> splits;
  std::string images_alone, other;
  for (const Split& each : folders) {
    const Holding holding = holding_of(each.path);
    if (holding == Holding::nothing) continue;
    if (!is_split_name(each.name)) {
      other = each.name;
    } else if (holding == Holding::images) {
      images_alone = each.name;
    } else {
      splits.push_back(each);
    }
  }
  if (splits.size() == 1 && !other.empty()) refuse(folder, splits.front().name, other);
  if (splits.empty() && !images_alone.empty()) refuse(folder, images_alone, other);
  return splits;
}

// Returns "train", "val" or "test" if a word of the name says so.
std::string_view split_of_shard(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kWords{{{"train", "train"},
                                                                                 {"training", "train"},
                                                                                 {"val", "val"},
                                                                                 {"valid", "val"},
                                                                                 {"validation", "val"},
                                                                                 {"test", "test"},
                                                                                 {"testing", "test"}}};
  std::string word;
  for (const char c : name + ".") {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    for (const auto& [known, split] : kWords) {
      if (word == known) return split;
    }
    word.clear();
  }
  return {};
}

}  // namespace

bool holds_classes(const fs::path& folder) {
  return fs::is_directory(folder) &&
         std::ranges::any_of(fs::directory_iterator(folder), [](const fs::directory_entry& entry) {
           return is_folder(entry) && holds_image(entry.path());
         });
}

std::vector<Split> find_splits(const fs::path& folder) {
  return listing([&] { return fs::is_directory(folder) ? find_splits_in(folder) : std::vector<Split>(); });
}

std::vector<Split> split_folders(const fs::path& folder) {
  return listing([&] {
    std::vector<Split> found = fs::is_directory(folder) ? folders_in(folder) : std::vector<Split>();
    std::erase_if(found, [](const Split& each) { return !is_split_name(each.name); });
    return found;
  });
}

void require_one_split(const std::string& where, SourceFormat format) {
  if (format != SourceFormat::webdataset && format != SourceFormat::tfrecord) return;
  std::map<std::string_view, std::string> shards;  // one shard of each split
  listing([&] {
    if (!fs::is_directory(where)) return;
    for (const fs::directory_entry& entry : fs::directory_iterator(where)) {
      const std::string name = entry.path().filename().string();
      const std::string_view split =
          recognize_source(entry.path().string()) == format ? split_of_shard(name) : std::string_view();
      if (!split.empty()) shards.emplace(split, name);
    }
  });
  if (shards.size() < 2) return;
  throw ArgumentError(fmt::format(
      "'{0}' holds shards of several splits ({1} and {2}), which would be mixed: name those of one split "
      "by a pattern, such as {0}/{3}-{{000..123}}{4}",
      where, shards.begin()->second, std::next(shards.begin())->second, shards.begin()->first,
      fs::path(shards.begin()->second).extension().string()));
}

std::optional<SourceFormat> format_at(const fs::path& path) {
  const auto format = recognize_source(path.string());
  const bool is_shards = format == SourceFormat::webdataset || format == SourceFormat::tfrecord;
  if (is_shards && listing([&] { return holds_classes(path); })) {
    throw ArgumentError(
        fmt::format("'{0}' holds shards, and folders of images, too: say which is meant, {1}:{0} or "
                    "imagefolder:{0}",
                    path.string(), name_of(*format)));
  }
  return format;
}

std::vector<std::string> left_out(const fs::path& folder, const std::vector<std::string>& splits) {
  return listing([&] {
    std::vector<std::string> names;
    for (const Split& each : folders_in(folder)) {
      if (std::ranges::find(splits, each.name) == splits.end() && holds_image(each.path))
        names.push_back(each.name);
    }
    return names;
  });
}

}  // namespace leat::detail
