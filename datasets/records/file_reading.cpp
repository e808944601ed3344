#include "leat/datasets/records/file_reading.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/records/xxh3.h"

namespace leat {

using namespace detail;

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

std::uint64_t checksum_of_file(const std::filesystem::path& path) {
  const UniqueFd file = open_for_reading(path);
  const std::uint64_t bytes = size_of_file(file.get(), path);
  std::vector<std::byte> chunk(std::size_t{1} << 20);
  Xxh3Stream checksum;
  for (std::uint64_t at = 0; at < bytes;) {
    const std::span<std::byte> part(chunk.data(), std::min<std::uint64_t>(chunk.size(), bytes - at));
    read_bytes(file.get(), at, part, path);
    checksum.update(part);
    at += part.size();
  }
  return checksum.digest();
}

}  // namespace leat
