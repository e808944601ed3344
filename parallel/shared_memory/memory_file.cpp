#include "leat/parallel/shared_memory/memory_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/base/memory_limits.h"
#include "leat/parallel/communicator.h"

namespace leat::detail {
namespace {

// A signal ends fallocate(), which then gives back all pages of its call. So that a program with a fast timer gets on,
// a call takes less time than lies between two signals.
constexpr std::size_t kPagesAtOnce = std::size_t{4} << 20;  // bytes

bool is_shortage(int error) noexcept {
  return error == ENOMEM || error == ENOSPC || error == EFBIG;
}

// Checks the limits whose excess would end the process instead of being an error of fallocate().
void check_limits(const std::string& purpose, std::size_t size, std::size_t added) {
  if (size > std::size_t{PTRDIFF_MAX} || added > page_limit().bytes)
    throw memory_error(purpose, added, page_limit());
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && size > limit.rlim_cur)
    throw MemoryError(purpose, added, limit.rlim_cur, "RLIMIT_FSIZE");
}

}  // namespace

Mapping::Mapping(int fd, std::size_t offset, std::size_t bytes, const std::string& purpose) : size_(bytes) {
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
                              static_cast<off_t>(offset));
  if (mapped == MAP_FAILED && is_shortage(errno)) throw memory_error(purpose, bytes);
  if (mapped == MAP_FAILED) throw_errno(fmt::format("mmap of {} bytes for {}", bytes, purpose));
  data_ = static_cast<std::byte*>(mapped);
}

Mapping::~Mapping() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

MemoryFile::MemoryFile(std::string purpose) : purpose_(std::move(purpose)) {
  fd_ = UniqueFd(::memfd_create("leat", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd_) throw_errno(fmt::format("memfd_create for {}", purpose_));
  if (::fchmod(fd_.get(), 0600) != 0) throw_errno(fmt::format("fchmod of {}", purpose_));
  if (::fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
    throw_errno(fmt::format("sealing {}", purpose_));
}

MemoryFile::MemoryFile(UniqueFd received, std::string purpose)
    : purpose_(std::move(purpose)), fd_(std::move(received)) {
  const int seals = ::fcntl(fd_.get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0)
    throw CommunicationError(
        fmt::format("{} is not a memory file that is sealed against shrinking", purpose_));
}

std::size_t MemoryFile::append(std::size_t bytes) {
  const std::size_t added = align_up(bytes, page_size());
  check_limits(purpose_, checked_add(size_, added), added);
  for (std::size_t done = 0; done < added;) {
    const std::size_t part = std::min(added - done, kPagesAtOnce);
    if (::fallocate(fd_.get(), 0, static_cast<off_t>(size_ + done), static_cast<off_t>(part)) == 0) {
      done += part;
    } else if (errno != EINTR) {
      const int error = errno;
      release(size_, done);
      if (is_shortage(error)) throw memory_error(purpose_, added, page_limit());
      errno = error;
      throw_errno(fmt::format("allocating {} bytes for {}", added, purpose_));
    }
  }
  return std::exchange(size_, size_ + added);
}

Mapping MemoryFile::map(std::size_t offset, std::size_t bytes) const {
  struct stat status {};
  if (::fstat(fd_.get(), &status) != 0) throw_errno(fmt::format("fstat of {}", purpose_));
  if (static_cast<std::size_t>(status.st_size) < checked_add(offset, bytes)) {
    throw CommunicationError(fmt::format("{} has {} bytes, but bytes {} to {} are needed", purpose_,
                                         status.st_size, offset, offset + bytes));
  }
  return {fd_.get(), offset, bytes, purpose_};
}

void MemoryFile::release(std::size_t offset, std::size_t bytes) const noexcept {
  if (!owner_.is_current()) return;
  ::fallocate(fd_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
              static_cast<off_t>(bytes));
}

}  // namespace leat::detail
