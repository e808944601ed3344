#include "leat/datasets/io/file_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

// O_NONBLOCK keeps open() from waiting for a writer if the path is a FIFO. It changes nothing for regular files.
int open_for_reading(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

}  // namespace

FileReader::FileReader(const std::filesystem::path& path)
    : path_(path.string()), fd_(open_for_reading(path_)) {
  if (!fd_) throw_errno("open " + path_);
  struct stat status {};
  if (::fstat(fd_.get(), &status) != 0) throw_errno("fstat " + path_);
  if (!S_ISREG(status.st_mode)) throw DataError(path_, "it is no regular file");
  size_ = static_cast<std::uint64_t>(status.st_size);
  modified_ns_ = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

void FileReader::check_range(std::uint64_t offset, std::uint64_t count) const {
  if (offset <= size_ && count <= size_ - offset) return;
  throw DataError(
      path_, fmt::format("{} bytes are expected at offset {}, but the file has {}", count, offset, size_));
}

void FileReader::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  iovec part{bytes.data(), bytes.size()};
  read_parts(offset, {&part, 1});
}

void FileReader::read_parts(std::uint64_t offset, std::span<iovec> parts) const {
  std::uint64_t bytes = 0;
  for (const iovec& part : parts) bytes += part.iov_len;
  check_range(offset, bytes);
  while (bytes != 0) {
    const ssize_t count =
        ::preadv(fd_.get(), parts.data(), static_cast<int>(parts.size()), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_errno(fmt::format("read {} at offset {}", path_, offset));
    if (count == 0) {
      throw DataError(
          path_, fmt::format("it ends at offset {}, but had {} bytes when it was opened", offset, size_));
    }
    auto left = static_cast<std::size_t>(count);
    offset += left;
    bytes -= left;
    while (!parts.empty() && left >= parts.front().iov_len) {
      left -= parts.front().iov_len;
      parts = parts.subspan(1);
    }
    if (left == 0) continue;
    parts.front().iov_base = static_cast<std::byte*>(parts.front().iov_base) + left;
    parts.front().iov_len -= left;
  }
}

void FileReader::read(std::uint64_t offset, std::uint64_t count, std::vector<std::byte>& bytes) const {
  check_range(offset, count);
  bytes.resize(static_cast<std::size_t>(count));
  read(offset, std::span(bytes));
}

}  // namespace leat::detail
