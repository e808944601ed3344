// A file in the making.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "leat/datasets/base/unique_fd.h"

namespace leat::detail {

// A file under a temporary name, which is removed unless it is kept. Not thread-safe. Throws SystemError naming the
// path.
class NewFile {
 public:
  enum class IfThere { fail, overwrite };  // what becomes of a file that has the temporary name

  explicit NewFile(std::filesystem::path temporary, IfThere if_there = IfThere::fail, unsigned mode = 0666);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void sync();                                      // its content to the disk
  void keep_as(const std::filesystem::path& path);  // in the place of a file that has this name
  void keep() noexcept { name_.clear(); }           // under its temporary name

 private:
  std::filesystem::path name_;  // empty once it is kept
  UniqueFd fd_;
};

// A name for a temporary file beside `file`, unlike any other process's or thread's.
std::filesystem::path temporary_name(const std::filesystem::path& file);

// A whole file, which must not be there yet. Throws SystemError.
void write_new_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

// Writes `file` whole or not at all, in the place of another one. Makes the folder. Throws SystemError.
void replace_file(const std::filesystem::path& file, std::span<const std::byte> bytes);

}  // namespace leat::detail
