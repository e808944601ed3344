#include "leat/datasets/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "leat/datasets/base/unique_fd.h"
#include "leat/datasets/errors.h"

namespace leat {

using namespace detail;

namespace {

std::size_t checked_size(int fd, const std::string& path, std::size_t max_bytes) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw_errno("fstat " + path);
  if (!S_ISREG(status.st_mode)) throw DataError(path, "it is no regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > max_bytes)
    throw DataError(path, fmt::format("it has {} bytes, the limit is {}", size, max_bytes));
  return size;
}

}  // namespace

void read_file(const std::filesystem::path& path, std::size_t max_bytes, std::vector<std::byte>& bytes) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer. It changes nothing for regular files.
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) throw_errno("open " + path.string());
  bytes.resize(checked_size(file.get(), path.string(), max_bytes));
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_errno("read " + path.string());
    if (count == 0) {
      throw DataError(
          path.string(),
          fmt::format("it ended after {} of {} bytes: it was changed while it was read", done, bytes.size()));
    }
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace leat
