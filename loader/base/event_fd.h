// A wake-up that a poll() can wait for, across processes.
#pragma once

#include "loader/base/unique_fd.h"

namespace leat {

// Thread-safe. Wake-ups given while nobody waits are kept, and count as one.
class EventFd {
 public:
  EventFd();  // throws SystemError

  void notify() const noexcept;
  void drain() const noexcept;  // forgets the wake-ups so far; never blocks
  int fd() const noexcept { return fd_.get(); }

 private:
  UniqueFd fd_;
};

}  // namespace leat
