#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <fstream>
#include <span>
#include <string>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/base/memory_limits.h"
#include "leat/datasets/base/shared_memory.h"
#include "leat/datasets/errors.h"
#include "leat/loader/os/child_process.h"
#include "tests/support/expect_error.h"

namespace leat {

using namespace leat::detail;

namespace {

TEST_CASE("shared memory is zeroed, and more than there is comes as an error with both figures") {
  const SharedMemory memory("test memory", 10000);
  CHECK(memory.bytes().size() % page_size() == 0);
  CHECK(memory.bytes()[9999] == std::byte{0});
  const std::size_t huge = std::size_t{1} << 60;
  test::expect_error<MemoryError>([&] { SharedMemory("test memory", huge); },
                                  {"test memory", "1152921504606846976"});
}

// Of this process, mapped now.
std::size_t shared_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssShmem:")) return std::stoul(line.substr(9));
  }
  return 0;
}

TEST_CASE("reserved memory is addresses alone, until it is taken") {
  const std::size_t before = shared_kib();
  SharedMemory memory("test memory", std::size_t{64} << 20, Pages::reserved);
  CHECK(shared_kib() < before + 1024);
  const std::array<Extent, 2> parts{Extent{0, 100}, Extent{std::size_t{5} << 20, std::size_t{8} << 20}};
  memory.take(parts);
  CHECK(shared_kib() >= before + 8 * 1024);
  CHECK(shared_kib() < before + 10 * 1024);
  const std::array<Extent, 1> more{Extent{std::size_t{32} << 20, 1000}};
  REQUIRE(memory.try_take(more));
  CHECK(memory.bytes()[(32 << 20) + 999] == std::byte{0});
  memory.bytes()[99] = memory.bytes()[(13 << 20) - 1] = memory.bytes()[(32 << 20) + 999] = std::byte{1};
}

TEST_CASE("reserved memory that is not there is refused, or an error with both figures") {
  const std::size_t huge = std::min(available_memory(), std::size_t{1} << 40) + (std::size_t{1} << 30);
  SharedMemory memory("test memory", huge, Pages::reserved);
  const std::array<Extent, 1> all{Extent{0, huge}};
  CHECK_FALSE(memory.try_take(all));
  test::expect_error<MemoryError>([&] { memory.take(all); }, {"test memory", std::to_string(huge)});
}

TEST_CASE("the pages of reserved memory need no addresses beside its own", "[process]") {
  for (const Forks forks : {Forks::share, Forks::copy}) {
    ChildProcess child = ChildProcess::run([forks] {
      constexpr std::size_t kBytes = std::size_t{64} << 20;
      std::size_t pages = 0;
      std::ifstream("/proc/self/statm") >> pages;  // of addresses
      const rlim_t addresses = pages * page_size() + kBytes + kBytes / 4;
      const rlimit limit{addresses, addresses};
      if (::setrlimit(RLIMIT_AS, &limit) != 0) return 1;
      SharedMemory memory("test memory", kBytes, Pages::reserved, forks);
      const std::array<Extent, 2> halves{Extent{0, kBytes / 2}, Extent{kBytes / 2, kBytes / 2}};
      memory.take(std::span(halves).first(1));
      if (!memory.try_take(std::span(halves).last(1))) return 2;
      memory.bytes()[kBytes - 1] = std::byte{1};
      return 0;
    });
    CHECK(child.wait() == 0);
  }
}

TEST_CASE("what a child writes into shared memory, the parent sees", "[process]") {
  const SharedMemory memory("test memory", 4096);
  ChildProcess child = ChildProcess::run([&] {
    std::memset(memory.bytes().data(), 7, 4096);
    return 3;
  });
  const int status = child.wait();
  CHECK(WEXITSTATUS(status) == 3);
  CHECK(memory.bytes()[4095] == std::byte{7});
}

TEST_CASE("a guard page turns an overrun into a crash", "[process]") {
  ChildProcess child = ChildProcess::run([] {
    SharedMemory memory("test memory", 3 * page_size());
    memory.guard_page(page_size());
    memory.bytes()[2 * page_size()] = std::byte{1};  // behind the guard: fine
    ::signal(SIGSEGV, [](int) { ::_exit(77); });
    memory.bytes()[page_size()] = std::byte{1};
    return 0;
  });
  CHECK(WEXITSTATUS(child.wait()) == 77);
}

}  // namespace
}  // namespace leat
