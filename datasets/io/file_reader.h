// Random access to a regular file.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "leat/datasets/base/unique_fd.h"
#include "leat/datasets/io/file_advice.h"

namespace leat::detail {

// Reads with pread and maps nothing: forked workers and threads share the descriptor without sharing a position, and
// a file that shrinks in the meantime causes an error and not a SIGBUS. Thread-safe.
class FileReader {
 public:
  // Throws SystemError if the file cannot be opened, DataError if it is not a regular file.
  explicit FileReader(const std::filesystem::path& path);

  int fd() const noexcept { return fd_.get(); }
  const std::string& path() const noexcept { return path_; }
  std::uint64_t size() const noexcept { return size_; }               // when it was opened
  std::int64_t modified_ns() const noexcept { return modified_ns_; }  // since 1970

  // Fills `bytes` from `offset` on. Throws DataError if the file does not hold that many bytes, SystemError if
  // reading fails.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;

  // Replaces `bytes` by `count` bytes. Checks that the file holds them before it allocates memory.
  void read(std::uint64_t offset, std::uint64_t count, std::vector<std::byte>& bytes) const;

  // Fills the parts one after the other from `offset` on, with one system call unless the kernel returns less at
  // once. Modifies `parts`. Throws like read().
  void read_parts(std::uint64_t offset, std::span<iovec> parts) const;

  // Asks the kernel to fetch the bytes, without waiting for them; see will_need().
  void read_ahead(std::uint64_t offset, std::uint64_t count) const noexcept {
    will_need(fd_.get(), offset, count);
  }

 private:
  void check_range(std::uint64_t offset, std::uint64_t count) const;

  std::string path_;
  UniqueFd fd_;
  std::uint64_t size_ = 0;
  std::int64_t modified_ns_ = 0;
};

}  // namespace leat::detail
