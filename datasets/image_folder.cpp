#include "leat/datasets/image_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <system_error>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/image_loader.h"
#include "leat/datasets/listing.h"
#include "leat/datasets/read_file.h"
#include "leat/datasets/warning.h"

namespace leat {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 32;  // of folders below a class; less than the links the system follows

// Folder -> names of the files in it, both in byte order.
using Listing = std::map<std::string, std::vector<std::string>>;

DecodeOptions decode_options(const ImageFolderOptions& options) {
  const double gap = options.reducing_gap;
  if (gap != 0 && !(gap >= 1 && std::isfinite(gap))) {
    throw ArgumentError(fmt::format("a reducing gap of {} is neither 0 nor at least 1", gap));
  }
  return {.limits = options.jpeg, .exif_orientation = options.exif_orientation, .reducing_gap = gap};
}

// Goes through the folder and those below it, and calls `on_broken_link` with each link that is none.
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

}  // namespace

bool has_picture_name(const fs::path& path) {
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

ImageFolder::ImageFolder(const fs::path& root, TransformPipeline transforms, ImageFolderOptions options)
    : transforms_(std::move(transforms)),
      max_file_bytes_(options.max_file_bytes),
      decode_(decode_options(options)),
      image_(transforms_),
      schema_(image_.schema()) {
  listing([&] { list(root, options.allow_empty); });
}

void ImageFolder::list(const fs::path& root, bool allow_empty) {
  for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
    if (is_broken_link(entry)) {
      count_broken_link(entry.path());
    } else if (entry.is_directory()) {
      classes_.push_back(entry.path().filename().string());
    }
  }
  if (classes_.empty()) {
    throw DataError(root.string(), "it holds no class folders; images are expected in <class>/<name>.jpg");
  }
  std::ranges::sort(classes_);
  for (std::size_t label = 0; label < classes_.size(); ++label) {
    list_class(root / classes_[label], static_cast<std::int64_t>(label), allow_empty);
  }
}

void ImageFolder::list_class(const fs::path& folder, std::int64_t label, bool allow_empty) {
  Listing listing;
  list_files(folder, 0, listing, [this](const fs::path& link) { count_broken_link(link); });
  const std::size_t files_before = files_.size(), ignored_before = ignored_files_;
  for (const auto& [path, names] : listing) {
    files_.add_folder(path);
    folder_labels_.push_back(label);
    for (const std::string& name : names) {
      if (has_picture_name(name)) {
        files_.add_file(name);
      } else {
        ++ignored_files_;
      }
    }
  }
  if (files_.size() == files_before && !allow_empty) {
    throw DataError(folder.string(),
                    fmt::format("this class has no images: there is no file called .jpg, .jpeg or .png ({} "
                                "others); allow_empty accepts such a class",
                                ignored_files_ - ignored_before));
  }
}

// The smallest path is the first one: folders are listed in no order.
void ImageFolder::count_broken_link(const fs::path& link) {
  std::string path = link.string();
  if (broken_links_.count++ == 0 || path < broken_links_.first) broken_links_.first = std::move(path);
}

std::string ImageFolder::warnings() const {
  std::string text = warnings_.text([this](std::size_t index) { return describe(index); });
  if (broken_links_.count == 0) return text;
  const char* const were = broken_links_.count == 1 ? " that leads nowhere was" : "s that lead nowhere were";
  append_warning(text, fmt::format("{} link{} left out; the first is {}", broken_links_.count, were,
                                   broken_links_.first));
  return text;
}

void ImageFolder::get(std::size_t index, Rng& rng, SampleWriter& out) const {
  out.set(LabelledImage::kLabel, label_of(index));
  try {
    load(index, rng, out.bytes(LabelledImage::kImage));
  } catch (const SystemError&) {
    throw;  // names the path
  } catch (const Error& error) {
    throw DataError(describe(index), error.what());
  }
}

void ImageFolder::load(std::size_t index, Rng& rng, std::span<std::byte> row) const {
  thread_local std::vector<std::byte> file;
  read_file(files_.path_of(index), max_file_bytes_, file);
  warnings_.count(ImageLoader::of_this_thread().load(file, transforms_, decode_, rng, image_.output(row)),
                  index);
}

std::string ImageFolder::describe(std::size_t index) const {
  check_index(index);
  return files_.path_of(index);
}

std::int64_t ImageFolder::label_of(std::size_t index) const {
  check_index(index);
  return folder_labels_[files_.folder_of(index)];
}

void ImageFolder::check_index(std::size_t index) const {
  if (index >= size()) throw ArgumentError(fmt::format("there is no sample {}: there are {}", index, size()));
}

}  // namespace leat
