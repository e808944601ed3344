#include "leat/datasets/base/memory_limits.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "leat/datasets/base/cgroup.h"

namespace leat::detail {

namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

std::size_t system_available() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  std::size_t kib = 0;
  while (meminfo >> key >> kib) {
    if (key == "MemAvailable:") return kib * 1024;
    meminfo.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return kUnlimited;
}

// Returns the bytes of page cache that are charged to the group and that the kernel drops when the group needs
// memory.
std::uint64_t reclaimable(const Cgroup& group) {
  const std::string prefix = group.version == 1 ? "total_" : "";
  const auto stat = group.folder / "memory.stat";
  return read_value(stat, prefix + "active_file").value_or(0) +
         read_value(stat, prefix + "inactive_file").value_or(0);
}

std::size_t cgroup_available() {
  std::size_t available = kUnlimited;
  for (const Cgroup& group : own_cgroups("memory")) {
    const bool old = group.version == 1;
    const auto limit = read_number(group.folder / (old ? "memory.limit_in_bytes" : "memory.max"));
    const auto used = read_number(group.folder / (old ? "memory.usage_in_bytes" : "memory.current"));
    if (!limit || !used) continue;
    const std::uint64_t firm = *used - std::min(*used, reclaimable(group));
    available = std::min(available, *limit - std::min(*limit, firm));
  }
  return available;
}

std::size_t addresses_available() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  if (!(statm >> pages)) return kUnlimited;
  return limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, pages * page_size());
}

MemoryLimit tighter(const MemoryLimit& one, const MemoryLimit& other) {
  return other.bytes < one.bytes ? other : one;
}

}  // namespace

MemoryLimit page_limit() {
  return tighter({system_available(), "MemAvailable of /proc/meminfo"},
                 {cgroup_available(), "the control group's memory limit"});
}

MemoryLimit memory_limit() {
  return tighter(page_limit(), {addresses_available(), "RLIMIT_AS"});
}

MemoryError memory_error(std::string_view purpose, std::size_t asked, const MemoryLimit& limit) {
  return {purpose, asked, limit.bytes, limit.name};
}

std::uint64_t oom_kills() {
  for (const Cgroup& group : own_cgroups("memory")) {
    const auto file = group.folder / (group.version == 1 ? "memory.oom_control" : "memory.events");
    if (const auto kills = read_value(file, "oom_kill")) return *kills;
  }
  return 0;
}

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace leat::detail
