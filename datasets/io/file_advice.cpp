#include "leat/datasets/io/file_advice.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {
constexpr std::uint64_t kPiece = 128 << 10;  // of a longer range, the kernel might leave out the rest
constexpr std::uint64_t kMost = 16 << 20;    // more would evict what was requested before
}  // namespace

bool in_page_cache(int fd, std::uint64_t offset) noexcept {
  char byte = 0;
  const iovec part{&byte, 1};
  return ::preadv2(fd, &part, 1, static_cast<off_t>(offset), RWF_NOWAIT) == 1;
}

void evict(int fd) {
  if (::fsync(fd) != 0) throw_errno("fsync before a file is dropped from the page cache");
  const int error = ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  if (error != 0) throw SystemError("dropping a file from the page cache", error);
}

void will_need(int fd, std::uint64_t offset, std::uint64_t bytes) noexcept {
  thread_local PageCacheProbe probe;
  if (probe.due()) probe.saw(in_page_cache(fd, offset));
  if (probe.warm()) return;
  const std::uint64_t wanted = std::min(bytes, kMost);
  for (std::uint64_t at = 0; at < wanted; at += kPiece) {
    const auto piece = static_cast<off_t>(std::min(kPiece, wanted - at));
    if (::posix_fadvise(fd, static_cast<off_t>(offset + at), piece, POSIX_FADV_WILLNEED) != 0) return;
  }
}

}  // namespace leat::detail
