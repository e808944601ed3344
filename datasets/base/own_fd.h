// A descriptor that other code of the process may close behind our back.
#pragma once

#include <sys/types.h>

#include <utility>

#include "leat/datasets/base/unique_fd.h"

namespace leat::detail {

/// Owns a descriptor of a pipe, a memfd or a regular file, and knows it again. A dataset, or a library that it uses,
/// may close descriptors that it did not open; the next file that is opened takes the number, and a write meant for
/// the pipe would end up in that file. So ask is_ours() before each use.
class OwnFd {
 public:
  OwnFd() = default;
  explicit OwnFd(UniqueFd fd);  // throws SystemError if `fd` is not open
  OwnFd(OwnFd&&) noexcept = default;
  OwnFd& operator=(OwnFd other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(device_, other.device_);
    std::swap(inode_, other.inode_);
    return *this;
  }
  ~OwnFd() { release_lost(); }

  int get() const noexcept { return fd_.get(); }
  /// Whether the number still stands for the file that it was given for. One system call.
  bool is_ours() const noexcept;

 private:
  void release_lost() noexcept;  // so that somebody else's file is not closed

  UniqueFd fd_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace leat::detail
