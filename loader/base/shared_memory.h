// Nameless shared memory: a memfd, mapped shared, inherited by forked processes, gone with the last of them.
#pragma once

#include <cstddef>
#include <span>

#include "loader/base/unique_fd.h"

namespace leat {

enum class Pages {
  now,           // populated at once, so that too little memory is a MemoryError here and no SIGBUS later
  when_touched,  // for what is seldom used
  reserved,      // addresses alone: nothing of it may be touched before take() or try_take()
};

// A part of shared memory, in bytes from its start.
struct Extent {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

// Zeroed. Nothing appears in /dev/shm, whose size does not matter.
class SharedMemory {
 public:
  SharedMemory() = default;
  // `bytes` is rounded up to whole pages. `purpose` stands in error messages: "batch slots".
  SharedMemory(const char* purpose, std::size_t bytes, Pages pages = Pages::now);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  std::span<std::byte> bytes() const noexcept { return {data_, size_}; }

  // Of reserved memory: takes the pages that the extents lie in, as far as nobody has yet. What one process has taken,
  // all that share it may touch. take() populates them at once, and throws MemoryError where there is not so much;
  // try_take() says false then, and leaves the zeroing of a page to its first touch.
  void take(std::span<const Extent> extents);
  bool try_take(std::span<const Extent> extents) const;

  // Makes a touch of [offset, offset + one page) a SIGSEGV; offset is a multiple of the page size.
  void guard_page(std::size_t offset);

 private:
  int allocate(std::span<const Extent> extents) const;

  const char* purpose_ = "";
  UniqueFd fd_;  // of reserved memory
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace leat
