#include "leat/datasets/formats/folder/file_index.h"

#include <utility>

namespace leat::detail {

std::size_t FileIndex::add_folder(std::string path) {
  folders_.push_back(std::move(path));
  return folders_.size() - 1;
}

void FileIndex::add_file(std::string_view name) {
  folder_of_.push_back(static_cast<std::uint32_t>(folders_.size() - 1));
  names_.push_back(text_.size());
  text_.append(name).push_back('\0');
}

std::string FileIndex::path_of(std::size_t file) const {
  const std::string& folder = folders_[folder_of(file)];
  return folder + '/' + (text_.data() + names_[file]);
}

}  // namespace leat::detail
