// A file of shared memory that grows, and mappings of its parts.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "leat/datasets/base/process_identity.h"
#include "leat/datasets/base/unique_fd.h"

namespace leat::detail {

// A mapping of a part of a file, writable and shared.
class Mapping {
 public:
  Mapping() = default;
  // The part must exist in the file. Throws MemoryError or SystemError; `purpose` names the memory in the message.
  Mapping(int fd, std::size_t offset, std::size_t bytes, const std::string& purpose);
  Mapping(Mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Mapping();

  std::byte* data() const noexcept { return data_; }
  std::span<std::byte> bytes() const noexcept { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// A memfd, sealed against shrinking, so that mappings of what it contains stay valid whatever other processes do. Only
// the process that created the file makes it grow.
class MemoryFile {
 public:
  explicit MemoryFile(std::string purpose);  // creates an empty file; throws SystemError
  MemoryFile(UniqueFd received,
             std::string purpose);  // checks a file from another process: CommunicationError

  int fd() const noexcept { return fd_.get(); }

  // Appends `bytes` bytes, rounded up to whole pages, that are zero, and returns their offset. Their pages are
  // allocated now. Throws MemoryError if there is not enough memory.
  std::size_t append(std::size_t bytes);

  // Maps a part. Throws CommunicationError if the file does not contain it.
  Mapping map(std::size_t offset, std::size_t bytes) const;

  // Gives the pages of a part back to the system. Does nothing in a forked process.
  void release(std::size_t offset, std::size_t bytes) const noexcept;

 private:
  std::string purpose_;
  ProcessIdentity owner_;
  UniqueFd fd_;
  std::size_t size_ = 0;  // of a file that this process created
};

}  // namespace leat::detail
