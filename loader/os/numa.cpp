#include "leat/loader/os/numa.h"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <climits>
#include <cstdint>
#include <fstream>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/base/memory_limits.h"

namespace leat::detail {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxNodes = 1024;  // the kernel's own limit
constexpr int kMaxCpus = 1 << 16;

std::string read_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Parses a decimal number in [0, limit) that makes up the whole text.
std::optional<int> parse_number(std::string_view text, int limit) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number >= limit)
    return std::nullopt;
  return number;
}

bool is_pci_address(std::string_view text) {
  return text.find(':') != std::string_view::npos &&
         text.find_first_not_of("0123456789abcdef:.") == std::string_view::npos;
}

struct CpuRange {
  int first = 0, last = 0;
};

std::optional<CpuRange> parse_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::optional<int> first = parse_number(text.substr(0, dash), kMaxCpus);
  const std::optional<int> last =
      dash == std::string_view::npos ? first : parse_number(text.substr(dash + 1), kMaxCpus);
  if (!first || !last || *first > *last) return std::nullopt;
  return CpuRange{*first, *last};
}

}  // namespace

std::optional<int> numa_node_of_pci_device(std::string_view address, const fs::path& sysfs) {
  std::string name(address);
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!is_pci_address(name)) return std::nullopt;
  return parse_number(read_line(sysfs / "bus/pci/devices" / name / "numa_node"), kMaxNodes);
}

std::vector<int> cpus_of_node(int node, const fs::path& sysfs) {
  const fs::path folder = sysfs / "devices/system/node" / fmt::format("node{}", node);
  return parse_cpu_list(read_line(folder / "cpulist")).value_or(std::vector<int>());
}

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  if (text.ends_with('\n')) text.remove_suffix(1);
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::optional<CpuRange> range = parse_range(text.substr(0, comma));
    if (!range || comma + 1 == text.size()) return std::nullopt;
    for (int cpu = range->first; cpu <= range->last; ++cpu) cpus.push_back(cpu);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  std::ranges::sort(cpus);
  const auto repeated = std::ranges::unique(cpus);
  cpus.erase(repeated.begin(), repeated.end());
  return cpus;
}

bool prefer_node(std::span<std::byte> memory, int node) noexcept {
  if (node < 0 || node >= kMaxNodes) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t first = align_up(address, page_size());
  const std::uintptr_t last = (address + memory.size()) / page_size() * page_size();
  if (first >= last) return false;
  constexpr int kBits = sizeof(unsigned long) * CHAR_BIT;
  std::array<unsigned long, kMaxNodes / kBits> nodes{};
  nodes[static_cast<std::size_t>(node / kBits)] = 1UL << node % kBits;
  // The kernel takes the number of bits plus one.
  return ::syscall(SYS_mbind, first, last - first, MPOL_PREFERRED, nodes.data(), kMaxNodes + 1,
                   MPOL_MF_MOVE) == 0;
}

}  // namespace leat::detail
