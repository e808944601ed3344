// How much memory this process can still take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "leat/datasets/errors.h"

namespace leat::detail {

/// How much memory the process can still take, and the name of the limit that allows no more.
struct MemoryLimit {
  std::size_t bytes;  // the largest value of the type if no limit can be read
  const char* name;   // "MemAvailable of /proc/meminfo", "the control group's memory limit", "RLIMIT_AS"
};

/// Returns the limit for pages of memory that is mapped already: the smaller of the system's available memory
/// (MemAvailable) and what the process's cgroup and the cgroups above it still allow.
MemoryLimit page_limit();

/// Returns the limit for memory that is not mapped yet: page_limit(), or the addresses that RLIMIT_AS still allows if
/// those are fewer.
MemoryLimit memory_limit();
inline std::size_t available_memory() {
  return memory_limit().bytes;
}

/// Makes the error for a request of `asked` bytes that was refused. By default, `limit` is the limit as it is now.
MemoryError memory_error(std::string_view purpose, std::size_t asked,
                         const MemoryLimit& limit = memory_limit());

// Returns how many processes of the process's cgroup the kernel has killed so far because memory ran out, or 0 if
// that cannot be read. If a cgroup has no such count, the cgroup above it is asked.
std::uint64_t oom_kills();

std::size_t page_size() noexcept;

}  // namespace leat::detail
