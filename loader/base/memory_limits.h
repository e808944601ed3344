// How much memory this process can still take.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leat {

// Bytes: the smaller of the system's available memory (MemAvailable) and what the process's cgroup and those
// above it still allow. The largest value of the type where none of them can be read.
std::size_t available_memory();

// Processes of the process's own cgroup that the kernel has killed for want of memory, so far; 0 where that cannot be read.
std::uint64_t oom_kills();

std::size_t page_size() noexcept;

}  // namespace leat
