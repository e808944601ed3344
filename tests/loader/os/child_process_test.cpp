#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <stdexcept>

#include "leat/datasets/base/unique_fd.h"
#include "leat/loader/os/child_process.h"

namespace leat {

using namespace leat::detail;

namespace {

TEST_CASE("a child that throws leaves with 125, a killed one says by which signal", "[process]") {
  CHECK(WEXITSTATUS(ChildProcess::run([]() -> int { throw std::runtime_error("no"); }).wait()) == 125);
  ChildProcess sleeper = ChildProcess::run([] { return ::pause(); });
  CHECK_FALSE(sleeper.wait(std::chrono::milliseconds(0)).has_value());
  sleeper.kill(SIGKILL);
  const int status = sleeper.wait();
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
}

TEST_CASE("children lose sockets and pipes, and keep files", "[process]") {
  std::array<int, 2> sockets{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()) == 0);
  const UniqueFd kept(sockets[0]), lost(sockets[1]);
  const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  ChildProcess child = ChildProcess::run([&] {
    const std::array<int, 1> keep{kept.get()};
    close_inherited_fds(keep);
    const auto is_open = [](int fd) { return ::fcntl(fd, F_GETFD) >= 0; };
    return (is_open(kept.get()) ? 1 : 0) + (is_open(lost.get()) ? 2 : 0) + (is_open(file.get()) ? 4 : 0);
  });
  CHECK(WEXITSTATUS(child.wait()) == 5);
}

}  // namespace
}  // namespace leat
