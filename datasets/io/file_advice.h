// Requests parts of files before they are read.
#pragma once

#include <cstdint>

namespace leat::detail {

// Decides whether requests are worth a system call each, which they are not for parts that are in memory already.
// Checks one part in 8. After 16 checked parts in a row were in memory, checks one in 32 and requests none, until a
// checked part is not in memory. Makes no system call itself.
class PageCacheProbe {
 public:
  static constexpr unsigned kEvery = 8, kEveryWarm = 32, kPatience = 16;

  bool due() noexcept { return asked_++ % (warm() ? kEveryWarm : kEvery) == 0; }  // check this part
  void saw(bool in_memory) noexcept { hits_ = !in_memory ? 0 : hits_ + (hits_ < kPatience ? 1 : 0); }
  bool warm() const noexcept { return hits_ == kPatience; }

 private:
  unsigned asked_ = 0;
  unsigned hits_ = 0;  // in a row
};

// Asks the kernel to fetch `bytes` bytes from `offset` on into the page cache, 16 MiB of them at most, without
// waiting for them. Thread-safe; each thread has its own PageCacheProbe. Does nothing for ranges that do not exist and
// for file systems that do not support it.
void will_need(int fd, std::uint64_t offset, std::uint64_t bytes) noexcept;

// Makes the kernel drop a file from the page cache, after writing it to the disk. Parts that others have mapped stay.
// Throws SystemError. For measurements of cold reads.
void evict(int fd);

// Whether the byte at `offset` can be read without waiting. Returns false if the file system does not tell.
bool in_page_cache(int fd, std::uint64_t offset) noexcept;

}  // namespace leat::detail
