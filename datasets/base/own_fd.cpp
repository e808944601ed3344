#include "leat/datasets/base/own_fd.h"

#include <sys/stat.h>

#include "leat/datasets/errors.h"

namespace leat::detail {

OwnFd::OwnFd(UniqueFd fd) : fd_(std::move(fd)) {
  struct stat status {};
  if (::fstat(fd_.get(), &status) != 0) throw_errno("fstat of a descriptor of the loader's");
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

bool OwnFd::is_ours() const noexcept {
  struct stat status {};
  return fd_ && ::fstat(fd_.get(), &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

void OwnFd::release_lost() noexcept {
  if (fd_ && !is_ours()) fd_.release();
}

}  // namespace leat::detail
