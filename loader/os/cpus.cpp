#include "leat/loader/os/cpus.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>

#include "leat/datasets/base/cgroup.h"
#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxCpus = 1 << 16;

// A set of kMaxCpus CPUs. The fixed-size cpu_set_t of sched.h ends at 1024.
class CpuSet {
 public:
  CpuSet() : set_(CPU_ALLOC(kMaxCpus), &::free) {
    if (!set_) throw std::bad_alloc();
    CPU_ZERO_S(bytes(), set_.get());
  }
  cpu_set_t* get() const noexcept { return set_.get(); }
  static std::size_t bytes() noexcept { return CPU_ALLOC_SIZE(kMaxCpus); }

 private:
  std::unique_ptr<cpu_set_t, void (*)(void*)> set_;
};

std::string read_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

double parse_cpu_max(const std::string& content) {
  std::istringstream text(content);
  double quota = 0, period = 0;
  if (!(text >> quota >> period) || quota <= 0 || period <= 0) return std::numeric_limits<double>::infinity();
  return quota / period;
}

double usable_cpus() {
  auto cpus = static_cast<double>(affinity_mask().size());
  for (const auto& [group, version] : own_cgroups("cpu")) {
    const std::string limit =
        version == 1 ? read_line(group / "cpu.cfs_quota_us") + ' ' + read_line(group / "cpu.cfs_period_us")
                     : read_line(group / "cpu.max");
    cpus = std::min(cpus, parse_cpu_max(limit));
  }
  return cpus;
}

std::vector<int> affinity_mask() {
  const CpuSet set;
  if (::sched_getaffinity(0, CpuSet::bytes(), set.get()) != 0) throw_errno("sched_getaffinity");
  const auto count = static_cast<std::size_t>(CPU_COUNT_S(CpuSet::bytes(), set.get()));
  std::vector<int> cpus;
  for (int cpu = 0; cpus.size() < count; ++cpu) {
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), CpuSet::bytes(), set.get())) cpus.push_back(cpu);
  }
  return cpus;
}

void set_affinity(const std::vector<int>& cpus) {
  const CpuSet set;
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), CpuSet::bytes(), set.get());
  if (::sched_setaffinity(0, CpuSet::bytes(), set.get()) != 0) throw_errno("sched_setaffinity");
}

}  // namespace leat::detail
