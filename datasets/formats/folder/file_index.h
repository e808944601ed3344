// A long list of file paths in little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace leat::detail {

// Each folder is stored once; a file costs its name and 13 bytes. Files are numbered in the order of addition.
class FileIndex {
 public:
  // Adds a folder. Files that are added from now on lie in it. Returns its number, counted from 0.
  std::size_t add_folder(std::string path);
  void add_file(std::string_view name);

  std::size_t size() const noexcept { return names_.size(); }  // files
  std::size_t folder_of(std::size_t file) const { return folder_of_.at(file); }
  std::string path_of(std::size_t file) const;  // folder/name

 private:
  std::vector<std::string> folders_;
  std::vector<std::uint32_t> folder_of_;  // per file
  std::vector<std::uint64_t> names_;      // per file, its name's position in text_
  std::string text_;                      // the names; each ends in a zero byte
};

}  // namespace leat::detail
