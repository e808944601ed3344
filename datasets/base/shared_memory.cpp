#include "leat/datasets/base/shared_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <numeric>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/base/memory_limits.h"
#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

bool is_shortage(int error) noexcept {
  return error == ENOMEM || error == ENOSPC || error == EFBIG;
}

// Takes the pages from the system now, or only sets the size.
int set_size(int fd, off_t size, Pages pages) {
  return pages == Pages::now ? ::fallocate(fd, 0, 0, size) : ::ftruncate(fd, size);
}

UniqueFd create(const std::string& purpose, std::size_t bytes, Pages pages) {
  // Beyond this limit the kernel would end the program with SIGXFSZ.
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur)
    throw MemoryError(purpose, bytes, limit.rlim_cur, "RLIMIT_FSIZE");
  UniqueFd fd(::memfd_create("leat", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) throw_errno(fmt::format("memfd_create for {}", purpose));
  if (::fchmod(fd.get(), 0600) != 0) throw_errno(fmt::format("fchmod of {}", purpose));
  if (set_size(fd.get(), static_cast<off_t>(bytes), pages) != 0) {
    if (is_shortage(errno)) throw memory_error(purpose, bytes);
    throw_errno(fmt::format("sizing {} bytes for {}", bytes, purpose));
  }
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    throw_errno(fmt::format("sealing the size of {}", purpose));
  }
  return fd;
}

// Widens an extent to whole pages.
Extent pages_of(Extent extent) {
  const std::size_t first = extent.offset / page_size() * page_size();
  return {first, align_up(extent.offset + extent.bytes, page_size()) - first};
}

int make_writable(std::byte* base, Extent pages) {
  return ::mprotect(base + pages.offset, pages.bytes, PROT_READ | PROT_WRITE) == 0 ? 0 : errno;
}

// Makes the kernel back the pages with memory, and keeps their contents. Returns 0 or an errno value.
int touch(std::byte* base, Extent pages) {
  int error = EINTR;
  while (error == EINTR) {
    error = ::madvise(base + pages.offset, pages.bytes, MADV_POPULATE_WRITE) == 0 ? 0 : errno;
  }
  if (error != EINVAL) return error;  // EINVAL: Linux before 5.14
  for (std::size_t offset = 0; offset < pages.bytes; offset += page_size()) {
    std::atomic_ref<unsigned char>(reinterpret_cast<unsigned char&>(base[pages.offset + offset])).fetch_or(0);
  }
  return 0;
}

std::size_t sum_of(std::span<const Extent> extents) {
  return std::accumulate(
      extents.begin(), extents.end(), std::size_t{0},
      [](std::size_t sum, const Extent& extent) { return checked_add(sum, extent.bytes); });
}

}  // namespace

SharedMemory::SharedMemory(std::string purpose, std::size_t bytes, Pages pages, Forks forks)
    : purpose_(std::move(purpose)), forks_(forks), size_(align_up(bytes, page_size())) {
  const bool addresses = size_ <= std::size_t{PTRDIFF_MAX};
  if (!addresses || (pages == Pages::now && size_ > available_memory())) throw memory_error(purpose_, size_);
  if (forks == Forks::share) {
    map_shared(pages);
  } else {
    map_private(pages);
  }
}

void SharedMemory::map_shared(Pages pages) {
  UniqueFd fd = create(purpose_, size_, pages);
  const int flags = MAP_SHARED | (pages == Pages::now ? MAP_POPULATE : 0);
  adopt(::mmap(nullptr, size_, PROT_READ | PROT_WRITE, flags, fd.get(), 0));
  if (pages == Pages::reserved) fd_ = OwnFd(std::move(fd));
}

// Reserved memory can be read but not written at first, so that strict memory accounting (vm.overcommit_memory = 2)
// does not charge for addresses.
void SharedMemory::map_private(Pages pages) {
  const int protection = PROT_READ | (pages == Pages::reserved ? 0 : PROT_WRITE);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (pages == Pages::now ? MAP_POPULATE : MAP_NORESERVE);
  adopt(::mmap(nullptr, size_, protection, flags, -1, 0));
}

void SharedMemory::adopt(void* mapped) {
  if (mapped == MAP_FAILED && is_shortage(errno)) throw memory_error(purpose_, size_);
  if (mapped == MAP_FAILED) throw_errno(fmt::format("mmap of {} bytes for {}", size_, purpose_));
  data_ = static_cast<std::byte*>(mapped);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : purpose_(std::move(other.purpose_)),
      forks_(other.forks_),
      fd_(std::move(other.fd_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      guards_(std::move(other.guards_)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(purpose_, other.purpose_);
  std::swap(forks_, other.forks_);
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(guards_, other.guards_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

// Returns 0 if the pages are taken, else an errno value. Checks the control group's limit first: the kernel would
// kill the process instead of returning an error.
int SharedMemory::allocate(std::span<const Extent> extents) const {
  if (sum_of(extents) > page_limit().bytes) return ENOMEM;
  for (const Extent& extent : extents) {
    if (extent.bytes == 0) continue;
    if (const int error = allocate(extent)) return error;
  }
  return 0;
}

int SharedMemory::allocate(Extent extent) const {
  const Extent pages = pages_of(extent);
  if (forks_ == Forks::copy || !fd_.is_ours()) {  // a dataset may have closed it
    for (const Extent& part : between_guards(pages)) {
      const int error = forks_ == Forks::copy ? make_writable(data_, part) : touch(data_, part);
      if (error != 0) return error;
    }
    return 0;
  }
  while (::fallocate(fd_.get(), 0, static_cast<off_t>(extent.offset), static_cast<off_t>(extent.bytes)) !=
         0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

bool SharedMemory::try_take(std::span<const Extent> extents) const {
  return allocate(extents) == 0;
}

void SharedMemory::take(std::span<const Extent> extents) {
  const int error = allocate(extents);
  const std::size_t sum = sum_of(extents);
  if (is_shortage(error)) throw memory_error(purpose_, sum, page_limit());
  if (error != 0) throw SystemError(fmt::format("taking {} bytes for {}", sum, purpose_), error);
  for (const Extent& extent : extents) {
    if (extent.bytes != 0) populate(extent);
  }
}

// Mapping the pages of a memfd once more at the same address populates them faster than touching them.
void SharedMemory::populate(Extent extent) const {
  const Extent pages = pages_of(extent);
  if (forks_ == Forks::copy || !fd_.is_ours()) {
    for (const Extent& part : between_guards(pages)) {
      const int error = touch(data_, part);
      if (error != 0) throw SystemError(fmt::format("populating {}", purpose_), error);
    }
    return;
  }
  if (::mmap(data_ + pages.offset, pages.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
             fd_.get(), static_cast<off_t>(pages.offset)) == MAP_FAILED) {
    throw_errno(fmt::format("mmap of {} bytes for {}", pages.bytes, purpose_));
  }
}

void SharedMemory::guard_page(std::size_t offset) {
  if (::mprotect(data_ + offset, page_size(), PROT_NONE) != 0) throw_errno("mprotect of a guard page");
  guards_.push_back(offset);
}

std::vector<Extent> SharedMemory::between_guards(Extent pages) const {
  std::vector<Extent> parts;
  std::size_t first = pages.offset;
  const std::size_t end = pages.offset + pages.bytes;
  for (const std::size_t guard : guards_) {
    if (guard < first || guard >= end) continue;
    if (guard > first) parts.push_back({first, guard - first});
    first = guard + page_size();
  }
  if (first < end) parts.push_back({first, end - first});
  return parts;
}

}  // namespace leat::detail
