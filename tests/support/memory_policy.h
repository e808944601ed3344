// Asks the kernel on which NUMA nodes it wants to keep memory.
#pragma once

#include <optional>
#include <vector>

namespace leat::test {

struct MemoryPolicy {
  int mode = 0;              // one of linux/mempolicy.h: MPOL_DEFAULT, MPOL_PREFERRED, ...
  std::vector<int> nodes{};  // ascending

  friend bool operator==(const MemoryPolicy&, const MemoryPolicy&) = default;
};

extern const MemoryPolicy kDefaultPolicy;
MemoryPolicy preferring(int node);

// Returns the policy of the memory at an address; nullopt if the kernel refuses to tell, as in some containers.
std::optional<MemoryPolicy> policy_of(const void* address);

// Tells whether the kernel tells and takes policies of memory. If not, prints why the calling test is skipped.
bool has_memory_policies();

}  // namespace leat::test
