#include "tests/transfer/support/shared_memory.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "leat/datasets/base/unique_fd.h"
#include "leat/datasets/errors.h"

namespace leat::test {

using namespace leat::detail;

SharedMemory::SharedMemory(std::size_t bytes) {
  const leat::detail::UniqueFd fd(::memfd_create("leat-test", MFD_CLOEXEC));
  if (!fd) throw_errno("memfd_create for a test");
  if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) throw_errno("ftruncate for a test");
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) throw_errno("mmap for a test");
  bytes_ = {static_cast<std::byte*>(memory), bytes};
}

SharedMemory::~SharedMemory() {
  ::munmap(bytes_.data(), bytes_.size());
}

void run_in_child(const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child < 0) throw_errno("fork for a test");
  if (child == 0) {
    body();
    ::_exit(0);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child) throw_errno("waitpid for a test");
  if (status != 0) throw SystemError("a child of a test", ECHILD);
}

}  // namespace leat::test
