#include "datasets/records/file_reading.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

#include "loader/base/errors.h"

namespace leat {

UniqueFd open_for_reading(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer. It changes nothing for regular files.
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) throw_errno("open " + path.string());
  return file;
}

std::uint64_t size_of_file(int fd, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw_errno("fstat " + path.string());
  if (!S_ISREG(status.st_mode)) throw DataError(path.string(), "it is no regular file");
  return static_cast<std::uint64_t>(status.st_size);
}

void read_parts(int fd, std::uint64_t offset, std::span<iovec> parts, const std::filesystem::path& path) {
  while (!parts.empty()) {
    const ssize_t count =
        ::preadv(fd, parts.data(), static_cast<int>(parts.size()), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_errno(fmt::format("reading {} at byte {}", path.string(), offset));
    auto left = static_cast<std::size_t>(count);
    offset += left;
    while (!parts.empty() && left >= parts.front().iov_len) {
      left -= parts.front().iov_len;
      parts = parts.subspan(1);
    }
    if (parts.empty()) return;
    if (count == 0)
      throw DataError(path.string(), fmt::format("it ended at byte {}: it became shorter", offset));
    parts.front().iov_base = static_cast<std::byte*>(parts.front().iov_base) + left;
    parts.front().iov_len -= left;
  }
}

void read_bytes(int fd, std::uint64_t offset, std::span<std::byte> bytes, const std::filesystem::path& path) {
  iovec part{bytes.data(), bytes.size()};
  read_parts(fd, offset, {&part, 1}, path);
}

}  // namespace leat
