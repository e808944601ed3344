// Anonymous mapped memory: a memfd that forked processes share and that is freed with the last of them, or the memory
// of one process.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "leat/datasets/base/own_fd.h"

namespace leat::detail {

enum class Pages {
  now,           // populated at once, so that a shortage is a MemoryError here and not a SIGBUS later
  when_touched,  // for memory that is seldom used
  reserved,      // addresses only: the memory must not be touched before take() or try_take()
};

// What a forked process sees of the memory.
enum class Forks {
  share,  // the same pages
  copy,   // a copy of its own, made page by page when either process writes
};

// A part of shared memory, in bytes from its start.
struct Extent {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

// Memory that is zeroed at first. Nothing appears in /dev/shm, so the size of /dev/shm does not matter. With
// Forks::copy there is no file descriptor.
class SharedMemory {
 public:
  SharedMemory() = default;
  // `bytes` is rounded up to whole pages. `purpose` names the memory in error messages, such as "batch slots".
  SharedMemory(std::string purpose, std::size_t bytes, Pages pages = Pages::now, Forks forks = Forks::share);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  std::span<std::byte> bytes() const noexcept { return {data_, size_}; }

  // Take the pages of the extents in reserved memory, except those that are taken already. Pages that one process has
  // taken may be touched by all processes that share the memory. take() populates the pages at once, and throws
  // MemoryError if there is not enough memory. try_take() returns false in that case, and leaves the zeroing of a
  // page to its first touch.
  void take(std::span<const Extent> extents);
  bool try_take(std::span<const Extent> extents) const;

  // Makes an access to [offset, offset + one page) raise SIGSEGV, even if the extents around it are taken. `offset`
  // is a multiple of the page size, and greater than in all earlier calls.
  void guard_page(std::size_t offset);

 private:
  void map_shared(Pages pages);
  void map_private(Pages pages);
  void adopt(void* mapped);
  int allocate(std::span<const Extent> extents) const;
  int allocate(Extent extent) const;
  void populate(Extent extent) const;
  std::vector<Extent> between_guards(Extent pages) const;

  std::string purpose_;
  Forks forks_ = Forks::share;
  OwnFd fd_;  // only for reserved memory that is shared
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::vector<std::size_t> guards_;  // offsets of guard pages, ascending
};

}  // namespace leat::detail
