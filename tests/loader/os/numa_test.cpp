#include "leat/loader/os/numa.h"

#include <sys/mman.h>

#include <catch2/catch_test_macros.hpp>
#include <climits>
#include <fstream>
#include <numeric>

#include "leat/datasets/base/memory_limits.h"
#include "leat/datasets/base/shared_memory.h"
#include "leat/loader/os/cpus.h"
#include "tests/support/memory_policy.h"
#include "tests/support/temporary_folder.h"

namespace leat::detail {
namespace {

using test::kDefaultPolicy;
using test::policy_of;
using test::preferring;
using test::TemporaryFolder;

using Cpus = std::vector<int>;

void write_node_of_device(const TemporaryFolder& sysfs, const std::string& device,
                          const std::string& content) {
  sysfs.write("bus/pci/devices/" + device + "/numa_node", content);
}

TEST_CASE("a list of CPUs is parsed") {
  CHECK(parse_cpu_list("0-3,8-11\n") == Cpus{0, 1, 2, 3, 8, 9, 10, 11});
  CHECK(parse_cpu_list("5") == Cpus{5});
  CHECK(parse_cpu_list("7-7,0,2-3") == Cpus{0, 2, 3, 7});
  CHECK(parse_cpu_list("1-3,2-4,3") == Cpus{1, 2, 3, 4});
  CHECK(parse_cpu_list("65535") == Cpus{65535});
  CHECK(parse_cpu_list("") == Cpus{});  // of a node that has memory only
  CHECK(parse_cpu_list("\n") == Cpus{});
}

TEST_CASE("a text that is no list of CPUs is refused whole") {
  for (const char* text : {"x",    "0-",    "-3",         "-",       "0--3",
                           "3-0",  ",",     "0,",         ",0",      "0,,1",
                           "0 1",  " 0",    "0 ",         "0-3-5",   "1.5",
                           "0x1",  "+1",    "65536",      "0-65536", "99999999999999999999",
                           "0\n1", "0\n\n", "0-3,garbage"}) {
    INFO('"' << text << '"');
    CHECK_FALSE(parse_cpu_list(text).has_value());
  }
  CHECK_FALSE(parse_cpu_list(std::string_view("0\0001", 3)).has_value());
}

TEST_CASE("the node of a PCI device is read, whichever letters its address has") {
  const TemporaryFolder sysfs;
  write_node_of_device(sysfs, "0000:3b:00.0", "1\n");
  write_node_of_device(sysfs, "10000:af:1f.7", "0");
  CHECK(numa_node_of_pci_device("0000:3B:00.0", sysfs.path()) == 1);
  CHECK(numa_node_of_pci_device("0000:3b:00.0", sysfs.path()) == 1);
  CHECK(numa_node_of_pci_device("10000:AF:1F.7", sysfs.path()) == 0);
}

TEST_CASE("a device without a node, or that the system does not know, has none") {
  const TemporaryFolder sysfs;
  for (const char* content :
       {"-1\n", "", "\n", "one\n", "1 2\n", " 1\n", "1024\n", "4294967296\n", "0x1\n"}) {
    INFO('"' << content << '"');
    write_node_of_device(sysfs, "0000:3b:00.0", content);
    CHECK_FALSE(numa_node_of_pci_device("0000:3B:00.0", sysfs.path()).has_value());
  }
  write_node_of_device(sysfs, "0000:5e:00.0", "0\n");
  sysfs.write("bus/pci/numa_node", "0\n");
  sysfs.write("numa_node", "0\n");
  for (const char* address : {"0000:5F:00.0", "", ".", "..", "../../..", "0000:5e:00.0/", "0000:5E:00.0\n"}) {
    INFO('"' << address << '"');
    CHECK_FALSE(numa_node_of_pci_device(address, sysfs.path()).has_value());
  }
  CHECK_FALSE(numa_node_of_pci_device("0000:5E:00.0", sysfs / "missing").has_value());
  std::filesystem::create_directories(sysfs / "bus/pci/devices/0000:60:00.0/numa_node");
  CHECK_FALSE(numa_node_of_pci_device("0000:60:00.0", sysfs.path()).has_value());
}

TEST_CASE("the CPUs of a node are read") {
  const TemporaryFolder sysfs;
  sysfs.write("devices/system/node/node1/cpulist", "4-5,12\n");
  sysfs.write("devices/system/node/node2/cpulist", "\n");
  sysfs.write("devices/system/node/node3/cpulist", "4-5,twelve\n");
  CHECK(cpus_of_node(1, sysfs.path()) == Cpus{4, 5, 12});
  for (const int node : {0, 2, 3, -1, INT_MAX}) {
    INFO(node);
    CHECK(cpus_of_node(node, sysfs.path()).empty());
  }
}

TEST_CASE("a list in the kernel's form names the CPUs of this machine") {
  std::ifstream file("/sys/devices/system/cpu/possible");
  std::string line;
  if (!std::getline(file, line)) return;
  const auto possible = parse_cpu_list(line);
  REQUIRE(possible.has_value());
  for (const int cpu : affinity_mask()) CHECK(std::ranges::find(*possible, cpu) != possible->end());
}

TEST_CASE("memory that is to be kept on a node has that policy, and keeps its bytes") {
  if (!test::has_memory_policies()) return;
  const SharedMemory memory("a test", 16 * page_size());
  const auto bytes = memory.bytes();
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7);
  CHECK(policy_of(bytes.data()) == kDefaultPolicy);
  CHECK(prefer_node(bytes, 0));
  CHECK(policy_of(bytes.data()) == preferring(0));
  CHECK(policy_of(&bytes.back()) == preferring(0));
  CHECK(prefer_node(bytes, 0));  // a second time
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) wrong += bytes[i] != static_cast<std::byte>(i * 7) ? 1 : 0;
  CHECK(wrong == 0);
}

TEST_CASE("only whole pages are kept on a node") {
  if (!test::has_memory_policies()) return;
  const std::size_t page = page_size();
  const SharedMemory memory("a test", 6 * page);
  const auto bytes = memory.bytes();
  CHECK_FALSE(prefer_node({}, 0));
  CHECK_FALSE(prefer_node(bytes.subspan(1, page), 0));
  CHECK_FALSE(prefer_node(bytes.first(page - 1), 0));
  CHECK(policy_of(bytes.data()) == kDefaultPolicy);
  CHECK(prefer_node(bytes.subspan(page + 1, 3 * page), 0));  // of which pages 2 and 3 are whole
  for (std::size_t i = 0; i < 6; ++i) {
    INFO("page " << i);
    CHECK(policy_of(&bytes[i * page]) == (i == 2 || i == 3 ? preferring(0) : kDefaultPolicy));
  }
}

TEST_CASE("a node that does not exist changes nothing") {
  if (!test::has_memory_policies()) return;
  const SharedMemory memory("a test", 4 * page_size());
  for (const int node : {-1, 1023, 1024, INT_MAX, INT_MIN}) {
    INFO(node);
    CHECK_FALSE(prefer_node(memory.bytes(), node));
    CHECK(policy_of(memory.bytes().data()) == kDefaultPolicy);
  }
}

TEST_CASE("pages that are locked, and addresses without memory, are not an error") {
  if (!test::has_memory_policies()) return;
  const SharedMemory memory("a test", 4 * page_size());
  if (::mlock(memory.bytes().data(), memory.bytes().size()) == 0) CHECK(prefer_node(memory.bytes(), 0));
  std::span<std::byte> gone;
  {
    const SharedMemory other("a test", 4 * page_size());
    gone = other.bytes();
  }
  CHECK_FALSE(prefer_node(gone, 0));
}

}  // namespace
}  // namespace leat::detail
