// Nameless mapped memory: a memfd that forked processes share, gone with the last of them; or memory of one process.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "leat/datasets/base/own_fd.h"

namespace leat::detail {

enum class Pages {
  now,           // populated at once, so that too little memory is a MemoryError here and no SIGBUS later
  when_touched,  // for what is seldom used
  reserved,      // addresses alone: nothing of it may be touched before take() or try_take()
};

// What a forked process sees of the memory.
enum class Forks {
  share,  // the same pages
  copy,   // a copy of its own, made page by page when one of the two writes
};

// A part of shared memory, in bytes from its start.
struct Extent {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

// Zeroed. Nothing appears in /dev/shm, whose size does not matter. With Forks::copy there is no descriptor.
class SharedMemory {
 public:
  SharedMemory() = default;
  // `bytes` is rounded up to whole pages. `purpose` stands in error messages: "batch slots".
  SharedMemory(std::string purpose, std::size_t bytes, Pages pages = Pages::now, Forks forks = Forks::share);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  std::span<std::byte> bytes() const noexcept { return {data_, size_}; }

  // Of reserved memory: takes the pages that the extents lie in, as far as nobody has yet. What one process has taken,
  // all that share it may touch. take() populates them at once, and throws MemoryError where there is not so much;
  // try_take() says false then, and leaves the zeroing of a page to its first touch.
  void take(std::span<const Extent> extents);
  bool try_take(std::span<const Extent> extents) const;

  // Makes a touch of [offset, offset + one page) a SIGSEGV, though extents around it are taken. offset is a multiple of
  // the page size, and above those of earlier calls.
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
  OwnFd fd_;  // of reserved memory that is shared
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::vector<std::size_t> guards_;  // offsets of guard pages, ascending
};

}  // namespace leat::detail
