#include "tests/support/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "leat/datasets/errors.h"

namespace leat::test {

MemoryFile::MemoryFile(std::span<const std::byte> content) : fd_(::memfd_create("leat-test", MFD_CLOEXEC)) {
  if (!fd_) throw_errno("memfd_create");
  while (!content.empty()) {
    const ssize_t count = ::write(fd_.get(), content.data(), content.size());
    if (count < 0) throw_errno("write to a memfd");
    content = content.subspan(static_cast<std::size_t>(count));
  }
}

std::filesystem::path MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(fd_.get());
}

}  // namespace leat::test
