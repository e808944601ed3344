// NUMA nodes: parts of a machine whose CPUs reach their own memory and devices faster than those of other nodes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leat::detail {

// Placing threads and memory makes transfers faster and changes no result. So what the system does not tell or refuses
// is no error: in containers that forbid the system calls, and without /sys, everything stays where it is. On a machine
// with one node, placing has no effect.

// Returns the node that a PCI device is attached to; nullopt if the system does not know the device, or has no node for
// it (-1). `address` is a PCI address, such as "0000:3B:00.0", in capital or small letters. `sysfs` is the folder where
// the system describes its devices.
std::optional<int> numa_node_of_pci_device(std::string_view address,
                                           const std::filesystem::path& sysfs = "/sys");

// Returns the numbers of a node's CPUs, ascending; none if the system does not tell.
std::vector<int> cpus_of_node(int node, const std::filesystem::path& sysfs = "/sys");

// Parses a list of CPUs in the kernel's form, such as "0-3,8-11"; a line break at its end is allowed. Returns their
// numbers, ascending; nullopt if the text is no such list, or if a number exceeds 65535. An empty text is an empty
// list.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

// Asks the kernel to keep memory on a node: pages that are there already are moved, and pages that come later are
// allocated there, as long as the node has free memory. Only pages that lie within `memory` as a whole are concerned.
// In memory that processes share, the request holds for all of them. The kernel does not move pages that are locked,
// or that other processes have mapped, too. Returns whether the kernel has accepted the request.
bool prefer_node(std::span<std::byte> memory, int node) noexcept;

}  // namespace leat::detail
