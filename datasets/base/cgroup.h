// The control groups (cgroups) that limit this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::detail {

// One group, as a folder of a hierarchy. Version 1 has one hierarchy per controller, version 2 has one for all
// controllers. A system may use both (man 7 cgroups).
struct Cgroup {
  std::filesystem::path folder;
  int version = 2;

  friend bool operator==(const Cgroup&, const Cgroup&) = default;
};

// Returns the process's group for `controller` ("memory", "cpu"), then the groups above it, in each hierarchy that
// may have the controller. The folders need not exist: in a container, the group that the kernel names may not be
// mounted, but the top of the hierarchy always is.
std::vector<Cgroup> own_cgroups(std::string_view controller);

// Does the same with the text of /proc/self/cgroup.
std::vector<Cgroup> parse_cgroups(const std::string& text, std::string_view controller);

// Returns the number after `key` in a file of lines "key number", or nullopt if there is none.
std::optional<std::uint64_t> read_value(const std::filesystem::path& file, std::string_view key);

// Returns the number that a file consists of, or nullopt if the file is absent or holds no number ("max").
std::optional<std::uint64_t> read_number(const std::filesystem::path& file);

}  // namespace leat::detail
