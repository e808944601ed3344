#include "tools/common/process_usage.h"

#include <fmt/format.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "loader/base/errors.h"

namespace leat::tools {
namespace {

namespace fs = std::filesystem;

std::size_t cpus_of_affinity_mask() {
  constexpr int kMaxCpus = 1 << 16;
  cpu_set_t* const set = CPU_ALLOC(kMaxCpus);
  const std::size_t bytes = CPU_ALLOC_SIZE(kMaxCpus);
  const bool known = set != nullptr && ::sched_getaffinity(0, bytes, set) == 0;
  const std::size_t count = known ? static_cast<std::size_t>(CPU_COUNT_S(bytes, set)) : 0;
  CPU_FREE(set);
  if (count == 0) throw_errno("sched_getaffinity");
  return count;
}

// The path of this process's group below /sys/fs/cgroup; empty where there is no version 2 hierarchy.
fs::path own_cgroup() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::/")) return fs::path(line.substr(4));
  }
  return {};
}

std::string read_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

void add_tree(int pid, std::vector<int>& pids) {
  pids.push_back(pid);
  std::error_code gone;  // of a process that ends while it is looked at
  for (fs::directory_iterator task(fmt::format("/proc/{}/task", pid), gone), end; !gone && task != end;
       task.increment(gone)) {
    std::ifstream children(task->path() / "children");
    for (int child = 0; children >> child;) add_tree(child, pids);
  }
}

std::size_t pss_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/smaps_rollup", pid));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Pss:")) return std::stoull(line.substr(4)) * 1024;
  }
  return 0;
}

}  // namespace

double parse_cpu_max(const std::string& content) {
  std::istringstream text(content);
  double quota = 0, period = 0;
  if (!(text >> quota >> period) || quota <= 0 || period <= 0) return std::numeric_limits<double>::infinity();
  return quota / period;
}

double usable_cpus() {
  double cpus = static_cast<double>(cpus_of_affinity_mask());
  const fs::path root = "/sys/fs/cgroup";
  for (fs::path group = own_cgroup();; group = group.parent_path()) {
    cpus = std::min(cpus, parse_cpu_max(read_line(root / group / "cpu.max")));
    if (group.empty()) return cpus;
  }
}

std::vector<int> process_tree(int pid) {
  std::vector<int> pids;
  add_tree(pid, pids);
  return pids;
}

double cpu_seconds(const std::vector<int>& pids) {
  double seconds = 0;
  for (const int pid : pids) {
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0) continue;
    seconds += static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
  }
  return seconds;
}

std::size_t pss_bytes(const std::vector<int>& pids) {
  std::size_t bytes = 0;
  for (const int pid : pids) bytes += pss_of(pid);
  return bytes;
}

}  // namespace leat::tools
