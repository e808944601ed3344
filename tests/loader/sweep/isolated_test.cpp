#include "leat/loader/sweep/isolated.h"

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>

#include "leat/datasets/errors.h"
#include "tests/support/expect_error.h"

using namespace leat;
using namespace leat::detail;

using test::expect_error;

TEST_CASE("the result comes from another process", "[process]") {
  CHECK(run_isolated([] { return std::to_string(::getppid()); }) == std::to_string(::getpid()));
  const std::string large(1 << 20, 'x');  // more than a pipe holds
  CHECK(run_isolated([&] { return large; }) == large);
  CHECK(run_isolated([] { return std::string(); }).empty());
}

TEST_CASE("an error of the child is an error of the caller", "[process]") {
  expect_error<Error>([] { run_isolated([]() -> std::string { throw DataError("a.jpg", "is broken"); }); },
                      {"a.jpg", "is broken"});
}

TEST_CASE("a child that dies is reported with its signal", "[process]") {
  expect_error<Error>([] { run_isolated([]() -> std::string { return std::to_string(::raise(SIGKILL)); }); },
                      {"was killed by signal 9"});
  expect_error<Error>([] { run_isolated([]() -> std::string { ::_exit(3); }); }, {"exited with status 3"});
}

TEST_CASE("the watch sees the child while it runs", "[process]") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  int watched = 0;
  const std::string pid = run_isolated(
      [&] {
        char go = 0;
        return ::read(ends[0], &go, 1) == 1 ? std::to_string(::getpid()) : std::string("no go");
      },
      std::chrono::milliseconds(1),
      [&](int child) {
        watched = child;
        REQUIRE(::write(ends[1], "x", 1) == 1);
      });
  CHECK(pid == std::to_string(watched));
  ::close(ends[0]);
  ::close(ends[1]);
}
