#include "loader/base/memory_limits.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace leat {

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

std::optional<std::size_t> read_size(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::size_t value = 0;
  if (in >> value) return value;
  return std::nullopt;  // absent, or "max"
}

// The process's group below the unified hierarchy, from the line "0::/path".
std::filesystem::path cgroup_folder() {
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("0::/")) return std::filesystem::path("/sys/fs/cgroup") / line.substr(4);
  }
  return "/sys/fs/cgroup";
}

// Page cache that the group is charged with, and that the kernel drops when the group needs memory.
std::size_t reclaimable(const std::filesystem::path& folder) {
  std::ifstream in(folder / "memory.stat");
  std::size_t sum = 0;
  std::string key;
  for (std::size_t value = 0; in >> key >> value;) {
    if (key == "active_file" || key == "inactive_file") sum += value;
  }
  return sum;
}

std::size_t cgroup_available() {
  std::size_t available = kUnlimited;
  for (auto folder = cgroup_folder(); folder.native().starts_with("/sys/fs/cgroup");
       folder = folder.parent_path()) {
    const auto limit = read_size(folder / "memory.max");
    const auto used = read_size(folder / "memory.current");
    if (!limit || !used) continue;
    const std::size_t firm = *used - std::min(*used, reclaimable(folder));
    available = std::min(available, *limit - std::min(*limit, firm));
  }
  return available;
}

}  // namespace

std::size_t available_memory() {
  return std::min(system_available(), cgroup_available());
}

std::uint64_t oom_kills() {
  std::ifstream in(cgroup_folder() / "memory.events");
  std::string key;
  for (std::uint64_t value = 0; in >> key >> value;) {
    if (key == "oom_kill") return value;
  }
  return 0;
}

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace leat
