#include "loader/base/shared_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <numeric>
#include <utility>

#include "loader/base/checked.h"
#include "loader/base/errors.h"
#include "loader/base/memory_limits.h"

namespace leat {

namespace {

bool is_shortage(int error) noexcept {
  return error == ENOMEM || error == ENOSPC || error == EFBIG;
}

// Takes the pages from the system now, or only promises them.
int set_size(int fd, off_t size, Pages pages) {
  return pages == Pages::now ? ::fallocate(fd, 0, 0, size) : ::ftruncate(fd, size);
}

UniqueFd create(const char* purpose, std::size_t bytes, Pages pages) {
  UniqueFd fd(::memfd_create("leat", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) throw_errno(fmt::format("memfd_create for {}", purpose));
  if (::fchmod(fd.get(), 0600) != 0) throw_errno(fmt::format("fchmod of {}", purpose));
  if (set_size(fd.get(), static_cast<off_t>(bytes), pages) != 0) {
    if (is_shortage(errno)) throw MemoryError(purpose, bytes, available_memory());
    throw_errno(fmt::format("sizing {} bytes for {}", bytes, purpose));
  }
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    throw_errno(fmt::format("sealing the size of {}", purpose));
  }
  return fd;
}

// As whole pages.
Extent pages_of(Extent extent) {
  const std::size_t first = extent.offset / page_size() * page_size();
  return {first, align_up(extent.offset + extent.bytes, page_size()) - first};
}

std::size_t sum_of(std::span<const Extent> extents) {
  return std::accumulate(
      extents.begin(), extents.end(), std::size_t{0},
      [](std::size_t sum, const Extent& extent) { return checked_add(sum, extent.bytes); });
}

}  // namespace

SharedMemory::SharedMemory(const char* purpose, std::size_t bytes, Pages pages) : purpose_(purpose) {
  const std::size_t size = align_up(bytes, page_size());
  const std::size_t available = available_memory();
  const bool addresses = size <= std::size_t{PTRDIFF_MAX};
  if (!addresses || (pages == Pages::now && size > available)) throw MemoryError(purpose, size, available);
  UniqueFd fd = create(purpose, size, pages);
  const int flags = MAP_SHARED | (pages == Pages::now ? MAP_POPULATE : 0);
  void* const data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, fd.get(), 0);
  if (data == MAP_FAILED && is_shortage(errno)) throw MemoryError(purpose, size, available);
  if (data == MAP_FAILED) throw_errno(fmt::format("mmap of {} bytes for {}", size, purpose));
  data_ = static_cast<std::byte*>(data);
  size_ = size;
  if (pages == Pages::reserved) fd_ = std::move(fd);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : purpose_(other.purpose_),
      fd_(std::move(other.fd_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(purpose_, other.purpose_);
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

// An errno value; 0: the pages are taken. The control group is asked first, since it would answer with a kill.
int SharedMemory::allocate(std::span<const Extent> extents) const {
  if (sum_of(extents) > available_memory()) return ENOMEM;
  for (const Extent& extent : extents) {
    const auto offset = static_cast<off_t>(extent.offset), bytes = static_cast<off_t>(extent.bytes);
    while (bytes > 0 && ::fallocate(fd_.get(), 0, offset, bytes) != 0) {
      if (errno != EINTR) return errno;
    }
  }
  return 0;
}

bool SharedMemory::try_take(std::span<const Extent> extents) const {
  return allocate(extents) == 0;
}

// Populated by mapping the pages once more in the same place.
void SharedMemory::take(std::span<const Extent> extents) {
  const int error = allocate(extents);
  const std::size_t sum = sum_of(extents);
  if (is_shortage(error)) throw MemoryError(purpose_, sum, available_memory());
  if (error != 0) throw SystemError(fmt::format("fallocate of {} bytes for {}", sum, purpose_), error);
  for (const Extent& extent : extents) {
    if (extent.bytes == 0) continue;
    const Extent pages = pages_of(extent);
    const int flags = MAP_SHARED | MAP_FIXED | MAP_POPULATE;
    if (::mmap(data_ + pages.offset, pages.bytes, PROT_READ | PROT_WRITE, flags, fd_.get(),
               static_cast<off_t>(pages.offset)) == MAP_FAILED) {
      throw_errno(fmt::format("mmap of {} bytes for {}", pages.bytes, purpose_));
    }
  }
}

void SharedMemory::guard_page(std::size_t offset) {
  if (::mprotect(data_ + offset, page_size(), PROT_NONE) != 0) throw_errno("mprotect of a guard page");
}

}  // namespace leat
