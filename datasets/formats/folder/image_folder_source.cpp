#include "leat/datasets/formats/folder/image_folder_source.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <system_error>
#include <unordered_set>

#include "leat/datasets/errors.h"
#include "leat/datasets/io/byte_writer.h"
#include "leat/datasets/io/listing.h"
#include "leat/datasets/io/read_file.h"
#include "leat/datasets/io/utf8.h"
#include "leat/datasets/io/xxh3.h"
#include "leat/datasets/warning.h"

namespace leat::detail {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxNameBytes = 4096;
constexpr int kMaxDepth = 32;  // of folders below a class; less than the links that the system follows

// Folder -> names of the files in it, both in byte order.
using Listing = std::map<std::string, std::vector<std::string>>;

// Lists the files in the folder and in those below it, and calls `on_broken_link` with each broken link.
template <class OnBrokenLink>
void list_files(const fs::path& folder, int depth, Listing& listing, const OnBrokenLink& on_broken_link) {
  if (depth > kMaxDepth) {
    throw DataError(folder.string(), "folders are nested too deeply (does a link lead in a circle?)");
  }
  std::vector<std::string>& names = listing[folder.string()];
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_broken_link(entry)) {
      on_broken_link(entry.path());
    } else if (entry.is_directory()) {
      list_files(entry.path(), depth + 1, listing, on_broken_link);
    } else {
      names.push_back(entry.path().filename().string());
    }
  }
  std::ranges::sort(names);
}

// Throws DataError if two folders get the same name: "a%FF", and "a" followed by the byte 0xff.
std::vector<std::string> names_of(const std::vector<std::string>& folders, const std::string& root) {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (const std::string& folder : folders) {
    names.push_back(utf8_name(folder));
    if (seen.insert(names.back()).second) continue;
    throw DataError(root, fmt::format("two class folders would be stored under the name '{}'", names.back()));
  }
  return names;
}

RecordSchema make_schema(std::size_t max_file_bytes, const std::vector<std::string>& classes) {
  return RecordSchema({{{"label", DType::i64, {}}, Content::values},
                       {Field::text("image", max_file_bytes), Content::jpeg},
                       {Field::text("name", kMaxNameBytes), Content::text}},
                      classes);
}

}  // namespace

bool has_image_name(const fs::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png";
}

bool is_broken_link(const fs::directory_entry& entry) {
  if (!entry.is_symlink()) return false;
  std::error_code error;
  const fs::file_status target = fs::status(entry.path(), error);
  return target.type() == fs::file_type::not_found || error == std::errc::too_many_symbolic_link_levels;
}

ImageFolderSource::ImageFolderSource(const fs::path& root, ImageFolderSourceOptions options)
    : root_path_(root), root_((root / "").string()), options_(options) {
  listing([&] { list(); });
  schema_ = make_schema(options_.max_file_bytes, names_of(classes_, root_));
}

void ImageFolderSource::list() {
  for (const fs::directory_entry& entry : fs::directory_iterator(root_path_)) {
    if (is_broken_link(entry)) {
      count_broken_link(entry.path());
    } else if (entry.is_directory()) {
      classes_.push_back(entry.path().filename().string());
    }
  }
  if (classes_.empty()) {
    throw DataError(root_path_.string(),
                    "it holds no class folders; images are expected in <class>/<name>.jpg");
  }
  std::ranges::sort(classes_);
  for (std::size_t label = 0; label < classes_.size(); ++label) {
    list_class(root_path_ / classes_[label], static_cast<std::int64_t>(label));
  }
}

void ImageFolderSource::list_class(const fs::path& folder, std::int64_t label) {
  Listing listing;
  list_files(folder, 0, listing, [this](const fs::path& link) { count_broken_link(link); });
  const std::size_t files_before = files_.size(), ignored_before = ignored_files_;
  for (const auto& [path, names] : listing) {
    files_.add_folder(path);
    folder_labels_.push_back(label);
    for (const std::string& name : names) {
      if (has_image_name(name)) {
        files_.add_file(name);
      } else {
        ++ignored_files_;
      }
    }
  }
  if (files_.size() == files_before && !options_.allow_empty) {
    throw DataError(folder.string(),
                    fmt::format("this class has no images: there is no file called .jpg, .jpeg or .png ({} "
                                "others); allow_empty accepts such a class",
                                ignored_files_ - ignored_before));
  }
}

// Keeps the smallest path as the first one, because folders are listed in no particular order.
void ImageFolderSource::count_broken_link(const fs::path& link) {
  std::string path = link.string();
  if (broken_links_.count++ == 0 || path < broken_links_.first) broken_links_.first = std::move(path);
}

std::string ImageFolderSource::warnings() const {
  if (broken_links_.count == 0) return {};
  const char* const were = broken_links_.count == 1 ? " that leads nowhere was" : "s that lead nowhere were";
  return fmt::format("{} link{} left out; the first is {}", broken_links_.count, were, broken_links_.first);
}

void ImageFolderSource::read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const {
  check_index(index);
  sample.clear();
  const bool wants_image = choice.wants("image"), wants_name = choice.wants("name");
  const std::string path = wants_image || wants_name ? files_.path_of(index) : std::string();
  if (choice.wants("label"))
    append_little(sample.add("label", Encoding::number_of(DType::i64)).memory(), label_of(index));
  if (wants_image) {
    std::vector<std::byte>& file = sample.add("image", Encoding::jpeg).memory();
    read_file(path, options_.max_file_bytes, file);
    if (file.empty()) throw DataError(path, "it is empty");
  }
  if (wants_name)
    append_text(sample.add("name", Encoding::text).memory(),
                utf8_name(std::string_view(path).substr(root_.size())));
}

std::string ImageFolderSource::describe(std::size_t index) const {
  check_index(index);
  return files_.path_of(index);
}

std::int64_t ImageFolderSource::label_of(std::size_t index) const {
  check_index(index);
  return folder_labels_[files_.folder_of(index)];
}

std::optional<std::uint64_t> ImageFolderSource::fingerprint() const {
  Xxh3Stream checksum;
  for (std::size_t i = 0; i < size(); ++i) {
    const std::string path = describe(i);
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) status = {};  // read() reports the error
    const std::array<std::int64_t, 3> facts{status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
    checksum.update(std::as_bytes(std::span(path)));
    checksum.update(std::as_bytes(std::span(facts)));
  }
  return checksum.digest();
}

}  // namespace leat::detail
