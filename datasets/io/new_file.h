// A new file under a temporary name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "leat/datasets/base/unique_fd.h"

namespace leat::detail {

// Creates a file under a temporary name, and removes it unless it is kept. Not thread-safe. Throws SystemError naming
// the path.
class NewFile {
 public:
  enum class IfThere { fail, overwrite };  // what happens if a file already has the temporary name

  explicit NewFile(std::filesystem::path temporary, IfThere if_there = IfThere::fail, unsigned mode = 0666);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void sync();                                      // writes its content to the disk
  void keep_as(const std::filesystem::path& path);  // renames it, replacing a file that has this name
  void keep() noexcept { name_.clear(); }           // keeps its temporary name

 private:
  std::filesystem::path name_;  // empty once it is kept
  UniqueFd fd_;
};

// Returns a name for a temporary file beside `file` that no other process or thread uses.
std::filesystem::path temporary_name(const std::filesystem::path& file);

// Writes a whole file, which must not exist yet. Throws SystemError.
void write_new_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

// Writes `file` completely or not at all, replacing an older file. Makes the folder. Throws SystemError.
void replace_file(const std::filesystem::path& file, std::span<const std::byte> bytes);

}  // namespace leat::detail
