// WakePipe: wake-ups that poll() can wait for, across processes.
#pragma once

#include "leat/datasets/base/own_fd.h"

namespace leat::detail {

/// Wakes a process or thread that polls fd(). Wake-ups are kept while nobody waits, and drain() takes all of them as
/// one. Forked processes share it. Thread-safe.
///
/// It is a pipe and not an eventfd, because all eventfds have the same inode, so OwnFd could not tell them apart.
class WakePipe {
 public:
  WakePipe();  // throws SystemError

  /// Gives a wake-up. Returns false if this process has lost its descriptor, because other code has closed it.
  [[nodiscard]] bool notify() const noexcept;
  void drain() const noexcept;                         // discards the wake-ups so far; never blocks
  int fd() const noexcept { return read_end_.get(); }  // readable after a wake-up
  int write_fd() const noexcept { return write_end_.get(); }
  bool is_ours() const noexcept { return read_end_.is_ours() && write_end_.is_ours(); }

 private:
  OwnFd read_end_, write_end_;
};

}  // namespace leat::detail
