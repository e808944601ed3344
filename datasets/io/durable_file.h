// Files that are either complete or absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "leat/datasets/io/new_file.h"
#include "leat/datasets/io/xxh3.h"

namespace leat::detail {

// A file that is being written has ".tmp" after its name. commit() writes the content to the disk, renames the file
// to its own name, replacing an older file, and writes the folder to the disk. Without commit() nothing is left,
// except what a killed process leaves under the temporary name; the next process that writes this file overwrites it.
// Not thread-safe. Throws SystemError naming the path.
class DurableFile {
 public:
  explicit DurableFile(std::filesystem::path path);
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void pad_to(std::size_t alignment);  // with zeros, to a multiple of a power of two

  std::uint64_t size() const noexcept { return size_; }                   // bytes written
  std::uint64_t checksum() const noexcept { return checksum_.digest(); }  // xxh3 of them

  void commit();

 private:
  void flush();

  std::filesystem::path path_;
  NewFile file_;
  std::vector<std::byte> buffer_;
  std::uint64_t size_ = 0;
  Xxh3Stream checksum_;
};

// Writes a whole file at once.
void write_durably(const std::filesystem::path& path, std::string_view text);

// Writes the entries of a folder to the disk.
void sync_folder(const std::filesystem::path& folder);

}  // namespace leat::detail
