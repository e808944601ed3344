#include "leat/loader/sweep/process_usage.h"

#include <fmt/format.h>
#include <time.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace leat::detail {
namespace {

namespace fs = std::filesystem;

void add_tree(int pid, std::vector<int>& pids) {
  pids.push_back(pid);
  std::error_code gone;  // set if the process ends while its entries are read
  for (fs::directory_iterator task(fmt::format("/proc/{}/task", pid), gone), end; !gone && task != end;
       task.increment(gone)) {
    std::ifstream children(task->path() / "children");
    for (int child = 0; children >> child;) add_tree(child, pids);
  }
}

std::size_t pss_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/smaps_rollup", pid));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Pss:")) return std::strtoull(line.c_str() + 4, nullptr, 10) * 1024;
  }
  return 0;
}

}  // namespace

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

}  // namespace leat::detail
