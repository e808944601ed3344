#include "leat/datasets/write_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "leat/datasets/base/unique_fd.h"
#include "leat/datasets/errors.h"

namespace leat {

using namespace detail;

void write_new_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file) throw_errno("create " + path.string());
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_errno("write " + path.string());
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace leat
