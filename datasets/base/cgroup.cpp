#include "leat/datasets/base/cgroup.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace leat::detail {

namespace {

namespace fs = std::filesystem;

constexpr const char* kMounted = "/sys/fs/cgroup";

bool names(std::string_view controllers, std::string_view controller) {
  for (;;) {
    const std::size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == controller) return true;
    if (comma == controllers.size()) return false;
    controllers.remove_prefix(comma + 1);
  }
}

// Adds the group at `path`, which is absolute within the hierarchy, and then the groups above it.
void add_with_parents(std::vector<Cgroup>& groups, const fs::path& root, const std::string& path,
                      int version) {
  for (fs::path below = fs::path(path).relative_path();; below = below.parent_path()) {
    groups.push_back({below.empty() ? root : root / below, version});
    if (below.empty()) return;
  }
}

}  // namespace

std::vector<Cgroup> parse_cgroups(const std::string& text, std::string_view controller) {
  std::vector<Cgroup> groups;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {  // hierarchy:controllers:path
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1),
                      path = line.substr(second + 1);
    if (controllers.empty()) {
      add_with_parents(groups, kMounted, path, 2);
    } else if (names(controllers, controller)) {
      add_with_parents(groups, fs::path(kMounted) / controller, path, 1);
    }
  }
  return groups;
}

std::vector<Cgroup> own_cgroups(std::string_view controller) {
  std::ifstream file("/proc/self/cgroup");
  std::ostringstream text;
  text << file.rdbuf();
  return parse_cgroups(text.str(), controller);
}

std::optional<std::uint64_t> read_value(const fs::path& file, std::string_view key) {
  std::ifstream in(file);
  std::string name;
  for (std::uint64_t value = 0; in >> name >> value;) {
    if (name == key) return value;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> read_number(const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t value = 0;
  if (in >> value) return value;
  return std::nullopt;
}

}  // namespace leat::detail
