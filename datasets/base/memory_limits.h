// How much memory this process can still take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "leat/datasets/errors.h"

namespace leat::detail {

/// How much memory the process can still take, and what does not allow more.
struct MemoryLimit {
  std::size_t bytes;  // the largest value of the type where no limit can be read
  const char* name;   // "MemAvailable of /proc/meminfo", "the control group's memory limit", "RLIMIT_AS"
};

/// The tighter of the system's available memory (MemAvailable) and what the process's cgroup and those above it still
/// allow: the limit for pages of memory that is mapped already.
MemoryLimit page_limit();

/// page_limit(), or what RLIMIT_AS leaves of addresses if that is less: the limit for memory that is not mapped yet.
MemoryLimit memory_limit();
inline std::size_t available_memory() {
  return memory_limit().bytes;
}

/// For `asked` bytes that were refused, with the limit as it is now.
MemoryError memory_error(std::string_view purpose, std::size_t asked,
                         const MemoryLimit& limit = memory_limit());

// Processes of the process's own cgroup that the kernel has killed for want of memory, so far; 0 where that cannot be
// read.
std::uint64_t oom_kills();

std::size_t page_size() noexcept;

}  // namespace leat::detail
