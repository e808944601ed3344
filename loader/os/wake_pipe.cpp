#include "leat/loader/os/wake_pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "leat/datasets/errors.h"

namespace leat::detail {

WakePipe::WakePipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) throw_errno("pipe2");
  UniqueFd read_end(ends[0]), write_end(ends[1]);
  read_end_ = OwnFd(std::move(read_end));
  write_end_ = OwnFd(std::move(write_end));
}

bool WakePipe::notify() const noexcept {
  if (!write_end_.is_ours()) return false;
  const char wake = 1;
  [[maybe_unused]] const ssize_t written = ::write(write_end_.get(), &wake, 1);  // a full pipe wakes as well
  return true;
}

void WakePipe::drain() const noexcept {
  if (!read_end_.is_ours()) return;
  std::array<char, 256> wakes;
  while (::read(read_end_.get(), wakes.data(), wakes.size()) == static_cast<ssize_t>(wakes.size())) {
  }
}

}  // namespace leat::detail
