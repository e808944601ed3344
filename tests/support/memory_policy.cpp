#include "tests/support/memory_policy.h"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <iostream>

#include "leat/datasets/base/memory_limits.h"
#include "leat/datasets/errors.h"

namespace leat::test {

namespace {

constexpr int kBits = sizeof(unsigned long) * CHAR_BIT;
constexpr int kMaxNodes = 1024;

bool skip(const char* call) {
  std::cout << "SKIPPED: the kernel refuses " << call << ": " << std::strerror(errno) << "\n";
  return false;
}

}  // namespace

const MemoryPolicy kDefaultPolicy{.mode = MPOL_DEFAULT};

MemoryPolicy preferring(int node) {
  return {.mode = MPOL_PREFERRED, .nodes = {node}};
}

std::optional<MemoryPolicy> policy_of(const void* address) {
  MemoryPolicy policy;
  std::array<unsigned long, kMaxNodes / kBits> nodes{};
  if (::syscall(SYS_get_mempolicy, &policy.mode, nodes.data(), kMaxNodes, address, MPOL_F_ADDR) != 0)
    return std::nullopt;
  for (int node = 0; node < kMaxNodes; ++node)
    if ((nodes[static_cast<std::size_t>(node / kBits)] >> node % kBits & 1) != 0)
      policy.nodes.push_back(node);
  return policy;
}

bool has_memory_policies() {
  const std::size_t bytes = leat::detail::page_size();
  void* const page = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw_errno("mmap for a test");
  const bool tells = policy_of(page).has_value() || skip("get_mempolicy");
  const unsigned long node0 = 1;
  const bool takes = tells && (::syscall(SYS_mbind, page, bytes, MPOL_PREFERRED, &node0, kBits + 1, 0) == 0 ||
                               skip("mbind"));
  ::munmap(page, bytes);
  return takes;
}

}  // namespace leat::test
