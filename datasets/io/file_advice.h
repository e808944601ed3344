// Asking for parts of files before they are read.
#pragma once

#include <cstdint>

namespace leat::detail {

// Whether asking pays. Parts that are in memory anyway are not worth a system call for each: where the last ones
// that were looked at were, only one in 32 is looked at, and none asked for, until one is not. A plain class.
class Warmth {
 public:
  static constexpr unsigned kEvery = 8, kEveryWarm = 32, kPatience = 16;

  bool due() noexcept { return asked_++ % (warm() ? kEveryWarm : kEvery) == 0; }  // to look at this one
  void saw(bool in_memory) noexcept { hits_ = !in_memory ? 0 : hits_ + (hits_ < kPatience ? 1 : 0); }
  bool warm() const noexcept { return hits_ == kPatience; }

 private:
  unsigned asked_ = 0;
  unsigned hits_ = 0;  // one after the other
};

// Has the kernel fetch `bytes` from `offset` on into the page cache, without waiting for them; no more than 16 MiB of
// them. Thread-safe; each thread has a Warmth of its own. Ranges that are not there and file systems that cannot are
// passed over.
void will_need(int fd, std::uint64_t offset, std::uint64_t bytes) noexcept;

// Has the kernel forget what it keeps of a file, written to the disk first; parts that others have mapped stay. Throws
// SystemError. For measurements of cold reads.
void evict(int fd);

// Whether the byte at `offset` can be read without waiting; false where the file system does not say.
bool in_page_cache(int fd, std::uint64_t offset) noexcept;

}  // namespace leat::detail
