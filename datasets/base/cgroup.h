// The control groups that bound what this process may use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::detail {

// A folder of a hierarchy. Version 1 has a hierarchy for each controller, version 2 one for all; a system may have both
// (man 7 cgroups).
struct Cgroup {
  std::filesystem::path folder;
  int version = 2;

  friend bool operator==(const Cgroup&, const Cgroup&) = default;
};

// The process's group for `controller` ("memory", "cpu"), then those above it, in each hierarchy that may have it.
// Folders need not exist: in a container, what the kernel names may not be mounted, but the top always is.
std::vector<Cgroup> own_cgroups(std::string_view controller);

// The same from the text of /proc/self/cgroup.
std::vector<Cgroup> parse_cgroups(const std::string& text, std::string_view controller);

// The number behind `key` in a file of lines "key number"; nullopt where there is none.
std::optional<std::uint64_t> read_value(const std::filesystem::path& file, std::string_view key);

// The number that is all of a file; nullopt where it is absent or no number ("max").
std::optional<std::uint64_t> read_number(const std::filesystem::path& file);

}  // namespace leat::detail
