#include "leat/loader/sweep/process_usage.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <vector>

#include "leat/loader/sweep/isolated.h"

using namespace leat;
using namespace leat::detail;

TEST_CASE("CPU time grows with work, and memory with pages that were written", "[process]") {
  // Far more than the program's own pages: those of its libraries count half as soon as a second test program maps
  // them, so the sum may fall by some of them while this one runs.
  constexpr std::size_t kWritten = std::size_t{512} << 20;
  const std::vector<int> self{::getpid()};
  const double seconds = cpu_seconds(self);
  const std::size_t bytes = pss_bytes(self);
  REQUIRE(bytes > 0);
  REQUIRE(bytes < kWritten / 2);
  const std::vector<char> pages(kWritten, 1);
  CHECK(pages.back() == 1);
  CHECK(cpu_seconds(self) > seconds);
  CHECK(pss_bytes(self) >= bytes + kWritten / 2);
}

TEST_CASE("a process tree holds grandchildren, and who is gone counts nothing", "[process]") {
  const std::string size = run_isolated([] {
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      ::pause();
      ::_exit(0);
    }
    const std::size_t processes = process_tree(::getppid()).size();
    ::kill(grandchild, SIGKILL);
    ::waitpid(grandchild, nullptr, 0);
    return std::to_string(processes);
  });
  CHECK(size == "3");
  CHECK(process_tree(::getpid()).size() == 1);
  CHECK(pss_bytes({1 << 23}) == 0);
  CHECK(cpu_seconds({1 << 23}) == 0);
}
