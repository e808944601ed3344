// A wake-up that a poll() can wait for, across processes.
#pragma once

#include "leat/datasets/base/own_fd.h"

namespace leat::detail {

/// Thread-safe. Wake-ups given while nobody waits are kept, and count as one. Forked processes share it.
///
/// It is a pipe and not an eventfd: all eventfds have the same inode, so OwnFd could not tell this one from others.
class WakePipe {
 public:
  WakePipe();  // throws SystemError

  /// False if this process has lost its descriptor: other code has closed it.
  [[nodiscard]] bool notify() const noexcept;
  void drain() const noexcept;                         // forgets the wake-ups so far; never blocks
  int fd() const noexcept { return read_end_.get(); }  // readable after a wake-up
  int write_fd() const noexcept { return write_end_.get(); }
  bool is_ours() const noexcept { return read_end_.is_ours() && write_end_.is_ours(); }

 private:
  OwnFd read_end_, write_end_;
};

}  // namespace leat::detail
