#include "tools/common/command_line.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <functional>

using namespace leat::tools;

namespace {

// The exit code of a program whose standard output is `path`, in a process of its own. Its errors are not shown.
int exit_code(const char* path, const std::function<void()>& body) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open(path, O_WRONLY), STDOUT_FILENO);
    ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
    ::_exit(run_program("test", body));
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("a program's exit code tells whether its output was written", "[process]") {
  const auto prints = [] { std::printf("one\n"); };
  const auto ignores = [] {
    std::printf("one\n");
    std::fflush(stdout);  // fails, and drops what was to be written
  };
  for (const std::function<void()>& body : {std::function<void()>(prints), std::function<void()>(ignores)}) {
    CHECK(exit_code("/dev/null", body) == 0);
    CHECK(exit_code("/dev/full", body) == 1);
  }
}

TEST_CASE("a program's exit code tells wrong usage from other errors", "[process]") {
  CHECK(exit_code("/dev/null", [] { throw UsageError("wrong"); }) == 2);
  CHECK(exit_code("/dev/null", [] { throw leat::Error("bad"); }) == 1);
}
