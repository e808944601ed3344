#include "loader/base/event_fd.h"

#include <sys/eventfd.h>

#include <cstdint>

#include "loader/base/errors.h"

namespace leat {

EventFd::EventFd() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!fd_) throw_errno("eventfd");
}

void EventFd::notify() const noexcept {
  ::eventfd_write(fd_.get(), 1);
}

void EventFd::drain() const noexcept {
  std::uint64_t count = 0;
  ::eventfd_read(fd_.get(), &count);
}

}  // namespace leat
