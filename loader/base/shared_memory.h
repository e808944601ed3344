// Nameless shared memory: a memfd, mapped shared, inherited by forked processes, gone with the last of them.
#pragma once

#include <cstddef>
#include <span>

namespace leat {

enum class Pages {
  now,           // populated at once, so that too little memory is a MemoryError here and no SIGBUS later
  when_touched,  // for what is seldom used
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

  // Makes a touch of [offset, offset + one page) a SIGSEGV; offset is a multiple of the page size.
  void guard_page(std::size_t offset);

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace leat
