// A file descriptor that other code in the process may close.
#pragma once

#include <sys/types.h>

#include <utility>

#include "leat/datasets/base/unique_fd.h"

namespace leat::detail {

/// Owns a descriptor of a pipe, a memfd or a regular file, and tells whether the descriptor still refers to it. A
/// dataset, or a library that it uses, may close descriptors that it did not open. The next file that is opened then
/// gets the same number, and a write meant for the pipe would go to that file. So call is_ours() before each use.
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
  /// Returns whether the descriptor still refers to the file that it was given for. Makes one system call.
  bool is_ours() const noexcept;

 private:
  void release_lost() noexcept;  // keeps the destructor from closing somebody else's file

  UniqueFd fd_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace leat::detail
